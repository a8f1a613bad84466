'use strict';
// Follows the run: asks for live.json every two seconds, also while the page is hidden, but then less often. All that
// is shown is text: names are anybody's.
(() => {
  const at = (id) => document.getElementById(id);
  const live = at('watch');
  const everyMs = 2000, hiddenMs = 15000, lostMs = 5000;
  let shown = -1; // events that are in the log
  let known = ''; // what the table of the best was made of

  const make = (name, text, kind) => {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    if (kind) element.className = kind;
    return element;
  };
  const time = (ns) => {
    if (!(ns > 0)) return '\u2013';
    const unit = ns < 1e3 ? [1, 'ns'] : ns < 1e6 ? [1e3, '\u00b5s'] : ns < 1e9 ? [1e6, 'ms'] : [1e9, 's'];
    return (ns / unit[0]).toPrecision(4) + ' ' + unit[1];
  };
  const span = (seconds) => {
    const whole = Math.max(0, Math.round(seconds));
    const two = (value) => String(value).padStart(2, '0');
    return Math.floor(whole / 3600) + ':' + two(Math.floor(whole / 60) % 60) + ':' + two(whole % 60);
  };
  const count = (value) => Number(value).toLocaleString('en');
  const percent = (share) => share === null || share === undefined ? '\u2013' : (100 * share).toPrecision(2) + ' %';
  const clock = (stamp) => {
    const date = new Date(stamp);
    const element = make('time', isNaN(date) ? '' : date.toLocaleTimeString());
    if (!isNaN(date)) element.dateTime = stamp;
    return element;
  };
  const trustKind = { sure: 'good', 'nearly sure': 'doubt', 'not sure': 'bad', sound: 'good', noisy: 'doubt', unstable: 'bad' };
  const certainty = (winner) => {
    if (winner.stage === 'sweep') return ['timed once', 'doubt'];
    const word = winner.verdict || 'unknown';
    return [word + (winner.stage === 'confirm' ? ', confirmed' : ''), trustKind[winner.verdict] || ''];
  };

  const fact = (name, text) => {
    const part = make('div');
    part.append(make('dt', name), make('dd', text));
    return part;
  };
  const showFacts = (news) => {
    const { state, database } = news;
    const facts = [];
    if (state) {
      facts.push(fact(state.to_confirmation ? 'time left to the confirmation, about' : 'time left, about',
        state.left_s === null ? 'not known yet' : span(state.left_s)));
      facts.push(fact('problem', count(Math.min(state.problem_index + 1, state.problem_count)) + ' of ' + count(state.problem_count)));
      facts.push(fact('configurations', count(state.points_done) + ' of ' + count(Math.max(state.points_done, state.points_total))));
      if (state.best_ns) facts.push(fact('best of this problem', time(state.best_ns)));
      facts.push(fact('failures', count(state.failures)));
    }
    if (database) {
      facts.push(fact('noise (spread of the last trials)', percent(database.noise)));
      const sure = database.winners.filter((winner) => winner.verdict === 'sure').length;
      facts.push(fact('winners', count(database.winners.length) + (database.winners.length ? ', ' + sure + ' sure' : '')));
      if (database.latest) facts.push(fact('last trial stored', new Date(database.latest.measured_at).toLocaleString()));
    }
    at('watch-facts').replaceChildren(...facts);
  };

  const line = (news) => {
    const { state, database } = news;
    if (news.serves === 'ended') return 'The run is over. This page stays as it is; the report it wrote, and \u201ctune watch\u201d, show the whole.';
    if (state) {
      const of = state.process_count > 0 && state.phase === 'confirm'
        ? ' (process ' + state.process + ' of ' + state.process_count + ')' : '';
      return Math.floor(100 * state.share) + ' %: ' + state.phase + of + ' of ' + state.problem + ', n = ' + count(state.n) +
        (state.configuration ? '; best so far: ' + state.configuration : '');
    }
    if (news.serves === 'run') return 'The run has begun; nothing is measured yet.';
    const latest = database && database.latest;
    if (!latest) return 'Nothing is stored yet.';
    const open = database.runs.filter((run) => run.outcome === null).length;
    return (open ? 'A run that has not ended' : 'No run is open') + '; last: ' + latest.stage + ' of ' + latest.problem + ', n = ' +
      count(latest.n) + ', ' + latest.configuration + ': ' + (latest.status === 'ok' ? time(latest.median_ns) : latest.status);
  };

  const showBest = (winners) => {
    const text = JSON.stringify(winners);
    if (text === known) return;
    known = text;
    const many = new Set(winners.map((winner) => winner.device)).size > 1;
    at('watch-best').tBodies[0].replaceChildren(...winners.map((winner) => {
      const row = make('tr');
      const name = winner.problem + (many ? ' on ' + winner.device : '') +
        (winner.objective === 'time' ? '' : ', ' + winner.objective) + (winner.l2_mode === 'cold' ? '' : ', ' + winner.l2_mode);
      const head = make('th', name);
      head.scope = 'row';
      const [word, kind] = certainty(winner);
      const sure = make('td', word, kind);
      if (winner.verdict_reason) sure.title = winner.verdict_reason;
      row.append(head, make('td', count(winner.n)), make('td', time(winner.time_ns)), make('td', winner.configuration), sure);
      return row;
    }));
  };

  const showFailures = (failures) => {
    at('watch-failed').textContent = count(failures.length);
    at('watch-failures').replaceChildren(...failures.map((failure) => {
      const item = make('li');
      item.append(clock(failure.measured_at), make('span', failure.status.replaceAll('_', ' '), 'bad'),
        ' ' + failure.problem + ', n = ' + count(failure.n) + ', ' + failure.configuration + (failure.detail ? ': ' + failure.detail : ''));
      return item;
    }));
  };

  // The log is added to, so that a reader of screens reads what is new, and stays where it was scrolled to.
  const showEvents = (news) => {
    const log = at('watch-log');
    if (news.event_count === shown) return;
    const bottom = log.scrollHeight - log.scrollTop - log.clientHeight < 30;
    const fresh = shown < 0 ? news.events : news.events.slice(-Math.max(0, news.event_count - shown));
    shown = news.event_count;
    for (const event of fresh) {
      const item = make('li', undefined, event.kind === 'winner' && event.trust === 'unstable' ? 'bad' : '');
      item.append(clock(event.at), event.text);
      log.append(item);
    }
    while (log.children.length > 200) log.firstChild.remove();
    at('watch-log-part').hidden = news.event_count === 0;
    if (bottom) log.scrollTop = log.scrollHeight;
  };

  // What is drawn of launches is drawn anew when there are winners it does not know; a page of a database that had none is
  // loaded again. The reader's problem, filters and pins stay.
  // As the server does, it then leaves that alone for twenty times as long as it took, but for the last.
  let drawn = live.dataset.revision, asking = false, restedAt = 0;
  const renew = async (revision, isLast) => {
    if (revision === '' || revision === drawn || asking || (!isLast && performance.now() < restedAt)) return;
    if (!at('data') || at('data').textContent === 'null') { location.reload(); return; }
    asking = true;
    try {
      const answer = await fetch('data.json', { cache: 'no-store', redirect: 'error' });
      if (answer.ok) {
        const data = await answer.json(), top = scrollY, begun = performance.now();
        render(data);
        restedAt = performance.now() + 20 * (performance.now() - begun);
        scrollTo({ top, behavior: 'instant' }); // the page was shorter for a moment
        drawn = answer.headers.get('Tune-Revision');
      }
    } catch { /* the next news asks again */ } finally {
      asking = false;
    }
  };

  const show = (news) => {
    live.classList.toggle('stale', Boolean(news.trouble) || news.serves === 'ended');
    at('watch-line').textContent = line(news) + (news.trouble ? ' The database cannot be read: ' + news.trouble : '');
    const bar = at('watch-bar');
    bar.hidden = !news.state;
    if (news.state) {
      bar.value = news.serves === 'ended' ? 1 : news.state.share;
      document.title = Math.floor(100 * bar.value) + ' % ' + news.state.problem + ' \u2013 tune';
    }
    showFacts(news);
    if (news.database) {
      showBest(news.database.winners);
      showFailures(news.database.failures);
    }
    showEvents(news);
    at('watch-new').hidden = news.revision === '' || news.revision === live.dataset.revision;
    renew(news.revision, news.serves === 'ended');
  };

  let timer = 0;
  const ask = async () => {
    clearTimeout(timer);
    let wait = document.hidden ? hiddenMs : everyMs;
    try {
      const answer = await fetch('live.json', { cache: 'no-store', redirect: 'error' });
      if (!answer.ok) throw new Error('answer ' + answer.status);
      const news = await answer.json();
      show(news);
      if (news.serves === 'ended' && news.revision === drawn) return;
    } catch (error) {
      live.classList.add('stale');
      at('watch-line').textContent = 'No answer (' + error.message + '): the run is over, or the way to it is broken. It is asked again.';
      wait = lostMs;
    }
    timer = setTimeout(ask, wait);
  };
  document.addEventListener('visibilitychange', () => { if (!document.hidden && timer) ask(); });
  at('watch-reload').addEventListener('click', () => location.reload());
  ask();
})();
