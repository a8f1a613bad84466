'use strict';
// Follows the run: asks for live.json every two seconds. A browser slows the clock of a page that is hidden, so that such a page asks one
// question that the server holds until there is an end, or for most of a minute. All that is shown is text: names are anybody's.
(() => {
  const at = (id) => document.getElementById(id);
  const live = at('watch');
  const everyMs = 2000, lostMs = 5000;
  const id = [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(16)).join('');
  let shown = -1; // events that are in the log
  let known = ''; // what the table of the best was made of

  const make = (name, text, kind) => {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    if (kind) element.className = kind;
    return element;
  };
  const span = (seconds) => {
    const whole = Math.max(0, Math.round(seconds));
    const two = (value) => String(value).padStart(2, '0');
    return Math.floor(whole / 3600) + ':' + two(Math.floor(whole / 60) % 60) + ':' + two(whole % 60);
  };
  const percent = (share) => share === null || share === undefined ? '\u2013' : (100 * share).toPrecision(2) + ' %';
  const clock = (stamp) => {
    const date = new Date(stamp);
    const element = make('time', isNaN(date) ? '' : date.toLocaleTimeString());
    if (!isNaN(date)) element.dateTime = stamp;
    return element;
  };
  const kinds = { sure: 'good', 'nearly sure': 'doubt', 'not sure': 'bad' };
  const verdictOf = (winner) => winner.headline || 'unknown';
  const certainty = (winner, isRunning) => {
    if (winner.stage === 'sweep') return ['timed once', 'doubt'];
    if (isRunning && winner.stage !== 'confirm') return ['not confirmed yet', 'doubt'];
    return [verdictOf(winner) + (winner.stage === 'confirm' ? ', confirmed' : ''), kinds[verdictOf(winner)] || ''];
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
      facts.push(fact('problem', shownCount(Math.min(state.problem_index + 1, state.problem_count)) + ' of ' + shownCount(state.problem_count)));
      facts.push(fact('configurations', shownCount(state.points_done) + ' of ' + shownCount(Math.max(state.points_done, state.points_total))));
      if (state.best_ns) facts.push(fact('best of this problem', shownTime(state.best_ns)));
      facts.push(fact('failures', shownCount(state.failures)));
    }
    if (database) {
      facts.push(fact('noise (spread of the last trials)', percent(database.noise)));
      const sure = database.winners.filter((winner) => verdictOf(winner) === 'sure').length;
      facts.push(fact('winners', shownCount(database.winners.length) + (database.winners.length ? ', ' + sure + ' sure' : '')));
      if (database.latest) facts.push(fact('last trial stored', new Date(database.latest.measured_at).toLocaleString()));
    }
    at('watch-facts').replaceChildren(...facts);
  };

  const line = (news) => {
    const { state, database } = news;
    if (news.serves === 'ended') return 'The run is over; below is what it ended with.';
    if (state) {
      const of = state.process_count > 0 && state.phase === 'confirm'
        ? ' (process ' + state.process + ' of ' + state.process_count + ')' : '';
      return Math.floor(100 * state.share) + ' %: ' + state.phase + of + ' of ' + state.problem + ', n = ' + shownCount(state.n) +
        (state.configuration ? '; best so far: ' + state.configuration : '');
    }
    if (news.serves === 'run') return 'The run has begun; nothing is measured yet.';
    const latest = database && database.latest;
    if (!latest) return 'Nothing is stored yet.';
    const open = database.runs.filter((run) => run.outcome === null).length;
    return (open ? 'A run that has not ended' : 'No run is open') + '; last: ' + latest.stage + ' of ' + latest.problem + ', n = ' +
      shownCount(latest.n) + ', ' + latest.configuration + ': ' + (latest.status === 'ok' ? shownTime(latest.median_ns) : latest.status);
  };

  const showBest = (winners, isRunning) => {
    const text = JSON.stringify([winners, isRunning]);
    if (text === known) return;
    known = text;
    const many = new Set(winners.map((winner) => winner.device)).size > 1;
    at('watch-best').tBodies[0].replaceChildren(...winners.map((winner) => {
      const row = make('tr');
      const name = winner.problem + (many ? ' on ' + winner.device : '') +
        (winner.objective === 'time' ? '' : ', ' + winner.objective) + (winner.l2_mode === 'cold' ? '' : ', ' + winner.l2_mode);
      const head = make('th', name);
      head.scope = 'row';
      const [word, kind] = certainty(winner, isRunning);
      const sure = make('td', word, kind);
      if (winner.verdict_reason && word !== 'not confirmed yet') sure.title = winner.verdict_reason;
      row.append(head, make('td', shownCount(winner.n)), make('td', shownTime(winner.time_ns)), make('td', winner.configuration), sure);
      return row;
    }));
  };

  const showFailures = (failures) => {
    at('watch-failed').textContent = shownCount(failures.length);
    at('watch-failures').replaceChildren(...failures.map((failure) => {
      const item = make('li');
      item.append(clock(failure.measured_at), make('span', failure.status.replaceAll('_', ' '), 'bad'),
        ' ' + failure.problem + ', n = ' + shownCount(failure.n) + ', ' + failure.configuration + (failure.detail ? ': ' + failure.detail : ''));
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
      const item = make('li', undefined, event.kind === 'winner' && verdictOf(event) === 'not sure' ? 'bad' : '');
      item.append(clock(event.at), event.text);
      log.append(item);
    }
    while (log.children.length > 200) log.firstChild.remove();
    at('watch-log-part').hidden = news.event_count === 0;
    if (bottom) log.scrollTop = log.scrollHeight;
  };

  // What the page draws is drawn anew when there are winners it does not know; the reader's problem, filters and pins stay.
  // As the server does, it then leaves that alone for twenty times as long as it took, but for the last.
  let drawn = live.dataset.revision, asking = false, restedAt = 0;
  const renew = async (revision, isLast) => {
    const isNew = revision !== drawn || isLast && isRunning;
    if (revision === '' || !isNew || asking || (!isLast && performance.now() < restedAt)) return;
    asking = true;
    try {
      const answer = await fetch(`data.json?page=${id}`, { cache: 'no-store', redirect: 'error' });
      if (answer.ok) {
        const data = await answer.json(), top = scrollY, begun = performance.now();
        isRunning = !isLast;
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
    const isOver = news.serves === 'ended';
    live.classList.toggle('stale', Boolean(news.trouble));
    live.classList.toggle('over', isOver);
    at('watch-line').textContent = line(news) + (news.trouble ? ' The database cannot be read: ' + news.trouble : '');
    const bar = at('watch-bar');
    bar.hidden = !news.state;
    if (news.state) {
      bar.value = isOver ? 1 : news.state.share;
      document.title = Math.floor(100 * bar.value) + ' % ' + news.state.problem + ' \u2013 tune';
    }
    showFacts(news);
    if (news.database) {
      showBest(news.database.winners, news.serves === 'run');
      showFailures(news.database.failures);
    }
    showEvents(news);
    if (news.serves === 'run' && !isRunning) { // what is drawn was drawn as if the run were over
      isRunning = true;
      if (at('data').textContent !== 'null' && state.data) render(JSON.parse(at('data').textContent));
    }
  };

  let timer = 0, held = null, isEnded = false;
  const question = () => `live.json?page=${id}&drawn=${encodeURIComponent(drawn)}`;
  const ask = async () => {
    clearTimeout(timer);
    if (held) held.abort();
    const own = held = new AbortController();
    const isHidden = document.hidden;
    let wait = everyMs;
    try {
      const answer = await fetch(question() + (isHidden ? '&wait=1' : ''), { cache: 'no-store', redirect: 'error', signal: own.signal });
      if (!answer.ok) throw new Error('answer ' + answer.status);
      const news = await answer.json();
      if (own.signal.aborted) return;
      held = null;
      show(news);
      const isLast = news.serves === 'ended';
      const begun = renew(news.revision, isLast);
      if (isLast) await begun;
      isEnded = isLast && (news.revision === drawn || news.revision === '');
      if (isEnded) { // the server waits for this, and may be gone before it answers
        fetch(question(), { cache: 'no-store', keepalive: true }).catch(() => {});
        return;
      }
      if (isHidden && news.serves === 'run') { ask(); return; } // no clock between one and the next
    } catch (error) {
      if (own.signal.aborted) return;
      held = null;
      live.classList.add('stale');
      at('watch-line').textContent = 'No answer (' + error.message + '): the run is over, or the connection is broken. The page tries again.';
      wait = lostMs;
    }
    timer = setTimeout(ask, wait);
  };
  document.addEventListener('visibilitychange', () => { if (!isEnded) ask(); });
  ask();
})();
