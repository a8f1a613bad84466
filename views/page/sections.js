'use strict';
// The page around the figures: its head, the answer in a sentence, and the sections below, out of the data alone.
const settingsOf = () => state.data.settings.map((name) => ({
  name, parts: state.data.parts.filter((part) => part.setting === name),
  winners: state.data.problems.filter((problem) => problem.part.setting === name && problem.winner),
})).filter((setting) => setting.winners.length > 0);
const countOf = (count, one, many = `${one}s`) => `${shownCount(count)} ${count === 1 ? one : many}`;
const inList = (items, last = 'and') => items.flatMap((item, k) => [k === 0 ? '' : k === items.length - 1 ? ` ${last} ` : ', ', item]);
const bold = (text) => make('b', null, text);
const code = (text) => make('code', null, text);
const note = (...children) => make('p', { class: 'note' }, ...children);
const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length === 0 ? null : sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};
const verdictClass = (verdict) => `t-${verdict === OPEN ? 'nearly' : verdict.split(' ')[0]}`;
const where = (setting) => state.data.settings.length > 1 && make('h3', { class: 'where' }, setting.name);
const databaseOption = () => `--db ${state.data.database_word}`;

// Names that winners are compared with, those of most winners first, with the geometric mean, least and most of their gains.
const gainMeans = (problems) => {
  const names = new Map();
  for (const { winner } of problems)
    for (const gain of winner.gains) {
      const ratio = gain.ratio === null ? null : hasNoGain(gain) ? 1 : gain.ratio;
      if (!names.has(gain.name)) names.set(gain.name, { name: gain.name, about: gain.about, peer: gain.peer, ratios: [], slower: 0 });
      if (!(ratio > 0)) continue;
      names.get(gain.name).ratios.push(ratio);
      names.get(gain.name).slower += !hasNoGain(gain) && (gain.high > 0 ? gain.high < 1 : ratio < 0.995) ? 1 : 0;
    }
  return [...names.values()].map((own) => ({
    ...own, count: own.ratios.length, low: Math.min(...own.ratios), high: Math.max(...own.ratios),
    mean: Math.exp(own.ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / own.ratios.length),
  })).sort((a, b) => b.count - a.count);
};

// ---- the head ----
const SECTIONS = []; // [id, link, heading, content(), whether there is something to tell]
const drawHead = (head, foot) => {
  const { data } = state;
  const { first_day: first, last_day: last } = data;
  put(head, null, [make('p', { class: 'meta' }, !first ? 'Nothing is measured yet' : first === last ? `Measured on ${first}` : `Measured from ${first} to ${last}`,
    ` \u00b7 database ${data.database}`, data.words.length > 0 && ` \u00b7 only ${data.words.join(' ')}`),
  make('p', { class: 'kicker' }, 'tune report'),
  make('nav', { 'aria-label': 'Sections' }, SECTIONS.filter(([, , , , isThere]) => isThere()).map(([id, link]) => [make('a', { href: `#${id}` }, link), ' ']))]);
  put(foot, null, [make('p', null, `Made by tune ${data.tune} out of ${data.database}. Times are medians; GB/s are 10`, make('sup', null, '9'),
    ' bytes per second; ', make('i', null, 'ceiling'), ' is the bandwidth that was measured on the device.')]);
};

// ---- the answer ----
const verdictWords = (winners) => {
  const total = winners.length;
  const words = ['sure', 'nearly sure', 'not sure', OPEN, 'unknown'];
  const counts = words.map((word) => winners.filter(({ winner }) => winner.headline === word).length);
  const parts = words.flatMap((word, k) => counts[k] === 0 ? []
    : [[counts[k] === total ? `${total === 1 ? 'the' : 'each'} choice is ` : `${counts[k]} ${counts[k] === 1 ? 'choice is' : 'choices are'} `,
      make('b', { class: verdictClass(word) }, word === 'unknown' ? 'not known to be sure' : word)]]);
  const unseen = winners.filter(({ winner }) => isUnseen(winner)).length;
  return [inList(parts).flat(), unseen > 0 && [' (of ', bold(countOf(unseen, 'problem')), ' the space was hardly seen or mostly failed)']];
};
// The gain that is worth most: over the nearest baseline, of a choice that is sure, if any is.
const nearestGain = ({ winner }) => winner.gains.filter((gain) => !gain.peer && gainRatio(gain) !== null)
  .reduce((least, gain) => !least || gainRatio(gain) < gainRatio(least) ? gain : least, null);
const bestGain = (winners) => {
  const sure = winners.filter(({ winner }) => isSure(winner));
  return (sure.length > 0 ? sure : winners).map((problem) => ({ problem, gain: nearestGain(problem) })).filter(({ gain }) => gain)
    .reduce((best, own) => !best || gainRatio(own.gain) > gainRatio(best.gain) ? own : best, null);
};
const noGain = (winners, never) => {
  const names = gainMeans(winners).map(({ name }) => bold(name));
  return names.length === 0 ? never : ['how much faster it is than ', inList(names, 'or'), ' is unknown: the timings do not distinguish them'];
};
// The choice with the most to be said against it; it has the advice for all.
const leastSure = (winners) => {
  const order = ['sure', 'unknown', OPEN, 'nearly sure', 'not sure'];
  return winners.filter(({ winner }) => !isSure(winner) && winner.advice)
    .sort((a, b) => order.indexOf(b.winner.headline) - order.indexOf(a.winner.headline) || b.winner.floor_percent - a.winner.floor_percent)[0];
};
const LEAD_MOST = 3;
const drawLead = (setting) => {
  const { winners } = setting;
  const experiments = [...new Set(winners.map(({ part }) => part.experiment))].map(bold);
  const means = gainMeans(winners).filter(({ count }) => count > 0).slice(0, LEAD_MOST);
  return make('p', { class: 'lead' }, 'On ', bold(setting.name), ', the best launch configuration found for ',
    winners.length === 1 ? 'the problem of ' : `each of the ${winners.length} problems of `, inList(experiments),
    means.length > 0 ? [' runs on average ', inList(means.map(({ name, mean, count }) => [bold(shownGain(mean)), ' as fast as ', bold(name), count < winners.length && ` (${countOf(count, 'problem')})`]))]
      : [' stands below (', noGain(winners, 'no baseline was measured to compare it with'), ')'], '; ', verdictWords(winners), '.');
};
// What is to be had, and what to do next.
const drawNext = (setting) => {
  const { winners } = setting;
  const best = bestGain(winners);
  const doubt = leastSure(winners);
  const usable = winners.filter(({ winner }) => winner.verdict !== 'not sure').length;
  return make('p', { class: 'next' }, best && gainRatio(best.gain) > 1 && ['Largest gain: ', make('button', { type: 'button', class: 'link', onclick: () => { overview.setting = setting.name; choose(best.problem); } },
    `${best.problem.problem}, n = ${shownCount(best.problem.n)}`), ' is ', bold(shownRatio(best.gain)), ' as fast as ', best.gain.name,
  best.gain.ratio && ` and saves ${shownTime(best.problem.winner.time_ns * (best.gain.ratio - 1))} a launch`, '. '],
  bold('Next: '), isRunning ? 'wait: the run confirms its choices at its end.' : usable === 0 ? ['measure again; ', make('a', { href: '#trust' }, 'why no choice is sure'), '.']
    : winners.some(({ part }) => part.is_replayed) ? [code('tune run'), ' measures on a device of your own: these times are replayed.']
    : [code(`tune export ${databaseOption()}`), ' writes ', usable === winners.length ? 'them' : `${usable} of them`, ' to tuned.conf, for your program.',
      doubt && ` Least sure is ${doubt.problem}, n = ${shownCount(doubt.n)}: `, doubt && withCode(doubt.winner.advice)]);
};
const drawAnswer = () => {
  const settings = settingsOf();
  return make('section', { id: 'answer' }, settings.length === 0
    ? make('p', { class: 'lead' }, 'No choice yet: no problem has a winner. The trials are below.')
    : settings.map((setting) => [drawLead(setting), drawNext(setting)]));
};

// ---- all problems together ----
const fasterCard = ({ winners }) => {
  const means = gainMeans(winners).filter(({ count }) => count > 0);
  return make('div', { class: 'card' }, make('h3', null, 'How much faster is it?'), means.map(({ name, mean, low, high, count, slower }) => make('p', null,
    make('span', { class: 'big' }, shownGain(mean)), ' as fast as ', bold(name), make('br'),
    make('small', null, `over ${countOf(count, 'problem')}: ${shownGain(low)} to ${shownGain(high)}`, slower > 0 && ['; ', bold(`on ${slower} it is slower`)]))),
  means.length > 0 ? make('p', null, make('small', null, 'Geometric means over the problems.'))
    : make('p', null, 'It stands by itself: ', noGain(winners, ['no baseline was measured. The experiment can name one under ', code('baselines')]), '.'));
};
const sureCard = ({ winners }) => {
  const total = winners.length;
  const confirmed = winners.filter(({ winner }) => winner.stage === 'confirm');
  const claims = confirmed.map(({ winner }) => winner.claim_percent).filter((claim) => claim !== null).sort((a, b) => a - b);
  const confidence = Math.min(...confirmed.map(({ winner }) => winner.confidence ?? Infinity));
  const fewest = Math.min(...winners.map(({ winner }) => winner.compared).filter((count) => count >= 3));
  const doubt = leastSure(winners);
  return make('div', { class: 'card' }, make('h3', null, 'How sure are we?'),
    make('p', null, make('span', { class: 'big' }, `${winners.filter(({ winner }) => isSure(winner)).length} of ${total}`), ` ${total === 1 ? 'choice is' : 'choices are'} sure; `,
      `fresh processes confirmed ${confirmed.length === 0 ? 'none' : confirmed.length}.`),
    doubt && make('p', null, `Least sure is ${doubt.problem}, n = ${shownCount(doubt.n)}: `, withCode(doubt.winner.advice)),
    claims.length > 0 && make('p', null, 'No configuration that was compared is faster than the winner by more than ', shownPercent(claims[claims.length >> 1]),
      claims.at(-1) > claims[claims.length >> 1] && ` on half of the problems, and by more than ${shownPercent(claims.at(-1))} on any`,
      Number.isFinite(confidence) && `, at ${+(100 * confidence).toPrecision(3)}\u00a0% confidence`, '.'),
    Number.isFinite(fewest) && make('p', null, `While they were timed and watched, ${shownCount(fewest)} results of each winner or more were compared with the expected ones, and all were right: it is wrong less than once in ${shownCount(Math.floor(fewest / 3))}, at 95\u00a0% confidence.`),
    make('p', null, make('a', { href: '#trust' }, 'How that is known')));
};
const limitCard = ({ winners }) => {
  const counts = new Map();
  for (const { winner } of winners) counts.set(winner.limit ? winner.limit.name : 'unknown', (counts.get(winner.limit ? winner.limit.name : 'unknown') || 0) + 1);
  return make('div', { class: 'card' }, make('h3', null, 'Which limit applies now?'), make('p', null, [...counts].sort((a, b) => b[1] - a[1]).map(([name, count], k) =>
    [k > 0 && ', ', make('span', k === 0 ? { class: 'big' } : null, name), ' ', make('small', null, `${count} of ${winners.length}`)])),
  make('p', null, make('a', { href: '#why' }, 'Why it wins')));
};
const drawTogether = () => settingsOf().map((setting) => [where(setting), make('div', { class: 'cards' }, fasterCard(setting), sureCard(setting), limitCard(setting))]);

// ---- what to launch ----
const gainCell = (gain, isNamed) => {
  if (!gain) return make('td', { class: 'n' }, '\u2013');
  const ratio = gainRatio(gain);
  if (ratio === null) return make('td', { class: 'n' }, 'unknown', gain.peer && make('small', null, 'of two medians'), isNamed && make('small', null, gain.name));
  const hasBounds = gain.ratio && !hasNoGain(gain) && gain.low > 0 && gain.high > 0;
  return make('td', { class: ratio < 1 ? 'n slower' : 'n', 'data-v': ratio }, hasNoGain(gain) ? 'none' : bold(shownRatio(gain)), hasNoGain(gain) && make('small', null, gain.standing),
    hasBounds ? interval(shownGain(gain.low), shownGain(gain.high)) : gain.peer && make('small', null, 'of two medians'), isNamed && make('small', null, gain.name));
};
const fastestPeer = (winner) => winner.gains.filter((gain) => gain.peer && gain.ratio > 0).sort((a, b) => a.ratio - b.ratio)[0];
const winnersTable = (part) => {
  const problems = part.problems.filter(({ winner }) => winner);
  const over = gainMeans(problems);
  const isShared = over.filter(({ peer }) => peer).length > 1; // each problem has a library's function of its own
  const columns = over.filter(({ peer }) => !isShared || !peer);
  return [makeTable(part.experiment, [
    ['problem', 'head', (problem) => problem.problem],
    ['n', 'count', (problem) => problem.n],
    ['launch', 'configuration', ({ winner }) => make('td', null, winner.launch && [bold(winner.launch), ' '], configurationOf(winner.configuration))],
    ['time', 'time', ({ winner }) => numberCell(winner.time_ns, shownTime(winner.time_ns), winner.time_low_ns && winner.time_high_ns ? interval(shownTime(winner.time_low_ns), shownTime(winner.time_high_ns))
      : winner.confidence !== null && make('small', null, 'interval unknown'))],
    ...columns.map(({ name }) => [`over ${name}`, 'number', ({ winner }) => gainCell(winner.gains.find((gain) => gain.name === name), false)]),
    isShared && ['over others', 'number', ({ winner }) => gainCell(fastestPeer(winner), true)],
    ['GB/s', 'rate', ({ winner }) => winner.gbs],
    ['of ceiling', 'percent', ({ winner }) => winner.ceiling_percent],
    ['limited by', 'text', ({ winner }) => winner.limit ? winner.limit.name : 'unknown'],
    ['sure?', 'text', ({ winner }) => make('td', null, make('b', { class: verdictClass(winner.headline) }, winner.headline), winner.coverage && winner.coverage !== 'whole' && make('small', null, `space: ${winner.coverage}`))],
    ['as fast', 'count', ({ winner }) => winner.as_fast === null ? null : put(numberCell(winner.as_fast, shownCount(winner.as_fast)), { title: winner.not_compared > 0 ? `${shownCount(winner.not_compared)} were not compared to the end` : null }, [])],
  ], problems), columns.filter(({ about }) => about).map(({ name, about }) => note(bold(name), `: ${about}.`)),
  isShared && note(bold('Others'), ': the fastest other implementation of the problem that was measured.')];
};
const drawWinners = () => [make('p', null, 'The fastest correct configuration of each problem. Times are medians with their intervals; a gain of 1.50\u00d7 over something means that it takes 1.5 times as long. ',
  make('i', null, 'As fast'), ' counts the other configurations that were shown to be as fast as the winner; of the chosen problem, how many were not compared to the end stands above.'), settingsOf().map((setting) => [where(setting), setting.parts.map((part) => {
  const problems = part.problems.filter(({ winner }) => winner);
  const means = gainMeans(problems).filter(({ count }) => count > 0);
  return problems.length > 0 && fold({ open: true }, [bold(part.experiment), `: ${countOf(problems.length, 'problem')}`, means.length > 0 && [', ', inList(means.map(({ mean, name }) => `${shownGain(mean)} ${name}`))]],
    () => winnersTable(part));
})])];

// ---- side by side ----
const differencesOf = (from, to) => {
  const own = new Set((from || '').split(' '));
  return (to || '').split(' ').filter((word) => !own.has(word)).join(' ');
};
const shareCell = (share, low, high) => {
  const kind = boundsKind(1 + low, 1 + high);
  if (!Number.isFinite(share)) return make('td', { class: 'n' }, '\u2013');
  if (kind === 'unknown') return make('td', { class: 'n' }, 'unknown');
  if (kind === 'at least') return numberCell(low, `over ${shownPercent(100 * low)}`);
  return numberCell(share, shownPercent(100 * share), boundsTell(1 + low, 1 + high) && interval(shownPercent(100 * low), shownPercent(100 * high)));
};
const drawComparisons = () => [make('p', null, 'What another run, driver, board or version changed. ', make('i', null, 'b is'), ' faster or slower if both intervals show it, by more than the difference that counts as equal; else alike: no difference beyond noise. ',
  make('i', null, 'a\u2019s winner'), ' is the ', make('i', null, 'same'), ' at b, or another one won there, where it is ', make('i', null, 'as fast'), ', ', make('i', null, 'slower'),
  ' or ', make('i', null, 'not compared'), ' (neither is shown), in rounds that both were in, was ', make('i', null, 'timed once'), ', in the sweep, or ', make('i', null, 'not tried'), '.'), state.data.comparisons.map(({ a, b, sentences, winners }) => {
  const side = (own) => [own.device, own.day, own.database].filter(Boolean).join(', ');
  return [make('h3', null, `a: ${side(a)}; b: ${side(b)}`), make('ul', null, sentences.map((sentence) => make('li', null, unbroken(sentence)))), makeTable('winners side by side', [
    ['problem', 'head', (row) => row.problem], ['n', 'count', (row) => row.n], ['time a', 'time', (row) => row.a_ns], ['time b', 'time', (row) => row.b_ns],
    ['b against a', 'share', (row) => shareCell(row.more, row.more_low, row.more_high)],
    ['b is', 'text', (row) => make('td', null, ['faster', 'slower'].includes(row.change) ? bold(row.change) : row.change)],
    ['a\u2019s winner', 'text', (row) => make('td', null, row.move === 'slower' ? bold(row.move) : row.move)],
    ['it takes more', 'share', (row) => shareCell(row.loss, row.loss_low, row.loss_high)],
    ['b\u2019s winner differs by', 'configuration', (row) => differencesOf(row.a_configuration, row.b_configuration)]], winners)];
})];

// ---- what production gets: the entries of tuned.conf of the page's devices, with what the ranges say of them ----
const entriesOf = () => {
  const parts = new Map(state.data.parts.map((part) => [confHeading(part), part]));
  return state.data.entries.flatMap((entry) => {
    const part = [...parts].find(([heading]) => entry.heading.startsWith(heading));
    if (!part || !state.data.problems.some((problem) => problem.problem === entry.problem)) return [];
    const range = state.data.ranges.find((own) => own.device === part[1].device && own.problem === entry.problem && own.n_low <= entry.low && entry.high <= own.n_high);
    const loss = entry.values.bound_percent ?? entry.values.loss_percent;
    const checked = entry.values.loss_percent === undefined ? range : undefined; // else it was checked with another configuration
    return [{ ...entry, device: part[1].device, range, checked, at: Number(entry.values.at || entry.low), loss: loss === undefined ? 0 : Number(loss) }];
  });
};
const drawRanges = () => {
  const entries = entriesOf();
  if (entries.length === 0) return make('p', { class: 'none' }, 'Nothing: tuned.conf has no entry of these winners.');
  return [make('p', null, 'Programs ask libtuned for a problem and its size, and get the entry of tuned.conf that holds the size and is legal there; else the nearest is taken, and the answer says so. ',
    make('i', null, 'Loses at most'), ': the worst loss of the entry against the winners of the sizes that were measured within it; 0 where it is the winner. Other sizes are not guaranteed: ',
    make('i', null, 'checked between'), ' counts sizes between those at which the entry was timed against others, ', make('i', null, 'lost there'), ' is the worst that was seen. A dash: none was checked.'),
  makeTable('entries of tuned.conf', [
    state.data.device_count > 1 && ['device', 'text', (row) => row.device],
    ['problem', 'head', (row) => row.problem], ['from n', 'count', (row) => row.low], ['to n', 'count', (row) => row.high],
    state.data.ranges.some((row) => row.further) && ['other sizes', 'text', (row) => row.range && row.range.further],
    ['chosen at n', 'count', (row) => row.at],
    ['launch', 'configuration', (row) => row.configuration],
    ['loses at most', 'percent', (row) => row.loss],
    ['checked between', 'count', (row) => row.checked && row.checked.sizes_between],
    ['lost there', 'percent', (row) => row.checked && row.checked.sizes_between ? row.checked.between_loss_percent : null]], entries)];
};

// ---- why the chosen one wins ----
const TRAITS = [['occupancy', (point) => point.occupancy * 100, 'percent'], ['in flight, bytes', (point) => point.bytes_in_flight_per_sm, 'count'], ['launches', (point) => point.launches, 'count'],
  ['grid', (point) => point.grid, 'count'], ['block', (point) => point.threads > 0 ? null : point.block, 'count'], ['threads', (point) => point.threads > 0 ? point.threads : null, 'count'],
  ['registers', (point) => point.registers, 'count'], ['spilled bytes', (point) => point.spill_bytes, 'count'], ['shared bytes', (point) => point.shared_bytes, 'count']];
const sensitivityTable = (why) => why.sensitivities.length > 0 && [note('The cost of leaving the winner\u2019s value of a parameter: how much slower the fastest launch with another value is than the fastest of all, each timed alone, in the sweep. A few percent mean little.'),
  makeTable('the cost of other values', [
    ['parameter', 'head', (row) => row.parameter], ['winner\u2019s', 'text', (row) => make('td', null, bold(row.value))], ['next best', 'text', (row) => make('td', null, row.best_other ?? '\u2013', row.best_other_with && make('small', null, `with ${/^\d/.test(row.best_other_with) ? '' : 'another '}${row.best_other_with}`))],
    ['costs', 'share', (row) => row.best_other_loss], ['worst', 'text', (row) => row.worst], ['costs', 'share', (row) => row.worst_loss],
    ['other values', 'count', (row) => row.values]], why.sensitivities)];
const drawWhy = () => {
  const box = make('div');
  const fill = () => {
    const { problem } = state;
    const why = problem.winner && problem.winner.why;
    const traits = why ? TRAITS.filter(([, of]) => why.points.some((point) => Number.isFinite(of(point)))) : [];
    box.replaceChildren(...[make('h3', null, problem.problem, make('span', { class: 'quiet' }, ` n = ${shownCount(problem.n)}`)), !why ? make('p', { class: 'none' }, 'The database has no data.') : [
      make('p', null, configurationOf(problem.winner.configuration)),
      make('ul', null, why.sentences.map((sentence) => make('li', null, unbroken(sentence))), why.limit_text && make('li', null, bold(unbroken(why.limit_text)))),
      makeTable('the winner beside others', [
        ['who', 'head', (point) => point.role], ['launch', 'configuration', (point) => point.configuration],
        ['time', 'time', (point) => point.time_ns ?? make('td', null, point.status)],
        ['slower by', 'share', (point) => point.role === 'winner' ? numberCell(0, '\u2013') : shareCell(point.worse_by, point.worse_by_low, point.worse_by_high)],
        ['of ceiling', 'share', (point) => point.ceiling_share],
        ...traits.map(([label, of, kind]) => [label, kind, of])], why.points), sensitivityTable(why)],
    note('The chosen problem; a cell of the map chooses another. In a terminal: ', code(`tune show --why PROBLEM ${databaseOption()}`), '.')].flat(3).filter(Boolean));
  };
  fill();
  listen((what) => { if (what === 'problem') { fill(); reach(box); } });
  return box;
};

// ---- which parameters matter, over all winners of an experiment ----
const drawParameters = () => [make('p', null, 'How much slower the fastest launch without the winner\u2019s value is than the fastest of all, each timed alone, in the sweep: the median over the winners, the parameter that costs most first. Behind each value stands how many winners have it.'),
  settingsOf().map((setting) => [where(setting), setting.parts.map((part) => {
    const winners = part.problems.filter(({ winner }) => winner && winner.why).map(({ winner }) => winner);
    const rows = part.parameters.map(({ name }) => {
      const values = new Map();
      for (const { parameters } of winners)
        if (parameters[name] !== undefined) values.set(String(parameters[name]), (values.get(String(parameters[name])) || 0) + 1);
      const losses = winners.flatMap(({ why }) => why.sensitivities.filter((own) => own.parameter === name && Number.isFinite(own.best_other_loss)));
      return { name, values, next: median(losses.map((own) => own.best_other_loss)), worst: median(losses.map((own) => own.worst_loss)), count: losses.length };
    }).sort((a, b) => (b.next ?? -1) - (a.next ?? -1) || (a.name < b.name ? -1 : 1));
    return winners.length > 0 && fold({ open: true }, [bold(part.experiment), `, over ${countOf(winners.length, 'winner')}`], () => makeTable('parameters', [
      ['parameter', 'head', (row) => row.name],
      ['the winners\u2019 values', 'text', (row) => make('td', null, [...row.values].sort((a, b) => b[1] - a[1]).map(([value, count], k) => [k > 0 && ', ', bold(value), ' ', make('small', { class: 'in' }, `(${count})`)]))],
      ['next best costs', 'share', (row) => row.next], ['worst costs', 'share', (row) => row.worst], ['of winners', 'count', (row) => row.count]], rows));
  })])];

// ---- failures, the search ----
const device = () => state.data.device_count > 1 && ['device', 'text', (row) => row.device];
const each = (command) => note('Each of them: ', code(`${command} ${databaseOption()}`), '.');
const drawFailures = () => [state.data.failures.length === 0 ? make('p', { class: 'none' }, 'None: every configuration that was tried compiled, ran and gave the right result.')
  : [makeTable('kinds of failures', [device(), ['experiment', 'text', (row) => row.experiment], ['outcome', 'text', (row) => row.status], ['trials', 'count', (row) => row.trials],
    ['configurations', 'count', (row) => row.configurations], ['the first one\u2019s reason', 'text', (row) => row.detail], ['its problem', 'text', (row) => row.problem], ['n', 'count', (row) => row.n],
    ['its configuration', 'configuration', (row) => row.configuration]], state.data.failures), each('tune show --failures')],
state.data.without.length > 0 && makeTable('problems without a winner', [device(), ['problem without a winner', 'text', (row) => row.problem], ['n', 'count', (row) => row.n], ['L2', 'text', (row) => row.l2_mode],
  ['trials', 'count', (row) => row.trials], ['with a time', 'count', (row) => row.timed], ['without one', 'count', (row) => row.failed]], state.data.without)];
const drawSearches = () => [make('p', null, 'Every configuration that was tried was first timed alone (the sweep); those near the best were raced against one another and the baselines; the best of these were timed again in fresh processes.'),
  state.data.searches.length === 0 ? make('p', { class: 'none' }, 'Nothing was tried yet.') : [makeTable('searches', [device(), ['experiment', 'text', (row) => row.experiment], ['problems', 'count', (row) => row.problems],
    ['legal configurations, of one at most', 'count', (row) => row.legal_most], ['of all', 'count', (row) => row.legal], ['tried or set aside', 'count', (row) => row.tried], ['of legal', 'percent', (row) => row.tried_percent],
    ['launch the same as another', 'count', (row) => row.duplicates], ['failed', 'count', (row) => row.failed], ['near the best: raced', 'count', (row) => row.raced], ['finalists: confirmed', 'count', (row) => row.confirmed],
    ['searched by', 'text', (row) => row.strategies], ['effort', 'text', (row) => row.efforts]], state.data.searches), each('tune show --searches')]];

// ---- trust ----
const facts = (pairs) => make('dl', null, pairs.filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '').map(([name, value]) => [make('dt', null, name), make('dd', null, value)]));
const band = (low, high, unit) => low === undefined ? null : high > low ? `${+low.toPrecision(4)} \u2013 ${+high.toPrecision(4)} ${unit}` : `${+low.toPrecision(4)} ${unit} throughout`;
const runCard = (row) => make('div', { class: 'card' }, make('h4', null, `Run ${row.run} on ${row.device}`), facts([
  ['rounds', `${row.rounds}, ${row.rounds_dropped} dropped${row.faults ? ` (${row.faults})` : ''}`],
  ['A/A floor', row.floor_percent === undefined ? null : `at most ${+row.floor_percent.toPrecision(3)}\u00a0%`],
  ['clock', band(row.sm_clock_mhz_low, row.sm_clock_mhz_high, 'MHz')], ['memory clock', band(row.memory_clock_mhz_low, row.memory_clock_mhz_high, 'MHz')],
  ['temperature', band(row.temperature_c_low, row.temperature_c_high, '\u00b0C')], ['power', band(row.power_w_low, row.power_w_high, 'W')],
  ['clock held back by', `${row.throttling}${row.throttle > 0 ? `, in ${row.throttled_rounds} rounds` : ''}`],
  ['others on the device', row.other_processes_most > 0 && `at most ${row.other_processes_most}, in ${row.other_processes_rounds} rounds`],
  ['memory errors', row.ecc_errors_moved > 0 && row.ecc_errors_moved]]));
const drawTrust = () => {
  const lines = settingsOf().flatMap((setting) => setting.parts.flatMap((part) => ['sure', 'nearly sure', 'not sure', OPEN, 'unknown'].flatMap((verdict) => {
    const own = part.problems.filter(({ winner }) => winner && winner.verdict === verdict);
    const sum = (of) => own.reduce((total, { winner }) => total + Math.max(0, of(winner) || 0), 0);
    const example = [...own].sort((a, b) => (b.winner.floor_percent ?? -1) - (a.winner.floor_percent ?? -1))[0];
    return own.length === 0 ? [] : [{ setting: setting.name, experiment: part.experiment, verdict, count: own.length, confirmed: sum((winner) => winner.stage === 'confirm' ? 1 : 0),
      rounds: sum((winner) => winner.rounds), dropped: sum((winner) => winner.rounds_dropped), floor: example.winner.floor_percent,
      reason: `${example.problem}, n = ${shownCount(example.n)}: ${example.winner.verdict_reason || 'no reason is stored'}` }];
  })));
  const groups = state.data.problems.filter(({ winner }) => winner && winner.groups);
  return [make('p', null, 'The best configurations were compared in rounds. A round times each of them once, in random order, between two timings of a reference (the ', make('i', null, 'anchor'),
    '); one of them is timed twice. A round in which the anchor or a clock moved was dropped. The ', make('i', null, 'A/A floor'), ' is how far two timings of the same configuration lie apart: smaller differences mean nothing. ',
    make('b', { class: 't-sure' }, 'Sure'), ': use it. ', make('b', { class: 't-nearly' }, 'Nearly sure'), ': it is usable, but something as fast may have been missed; the reason has the remedy. ',
    make('b', { class: 't-not' }, 'Not sure'), ': the measurement supports no choice, and tuned.conf has none.'),
  lines.length > 0 && makeTable('verdicts', [state.data.settings.length > 1 && ['device', 'text', (row) => row.setting], ['experiment', 'text', (row) => row.experiment],
    ['sure?', 'text', (row) => make('td', null, make('b', { class: verdictClass(row.verdict) }, row.verdict))], ['winners', 'count', (row) => row.count], ['confirmed', 'count', (row) => row.confirmed],
    ['rounds', 'count', (row) => row.rounds], ['dropped', 'count', (row) => row.dropped], ['A/A floor, most', 'percent', (row) => row.floor], ['the noisiest one\u2019s reason', 'text', (row) => row.reason]], lines),
  groups.length > 0 && [make('p', null, 'The times of some winners are of two kinds, so that a median tells little; the choice is best on average over both:'),
    make('ul', null, groups.map((problem) => make('li', null, unbroken(`${problem.problem}, n = ${shownCount(problem.n)}: ${problem.winner.groups}`))))],
  make('div', { class: 'cards' }, state.data.trust.map(runCard))];
};

// ---- how to repeat it ----
const drawRun = (run) => [make('pre', { tabindex: '0' }, run.command), run.command_made && note('Made of the options that were recorded: the command itself was not.'),
  note(`Run ${run.run}, ${run.started_at}, ${run.outcome}; ${shownCount(run.trials)} trials`, run.wall_ns > 0 && ` in ${shownTime(run.wall_ns)}; measuring took ${shownTime(run.measuring_ns)}`,
    `; on ${run.device} with ${run.driver}, ${run.compiler}, tune ${run.tool_version}, host ${run.host}.`),
  run.protocol && make('details', null, make('summary', null, 'Every number that it measured by'), make('p', null, configurationOf(run.protocol)))];
const factsOf = (text) => {
  try {
    return Object.entries(JSON.parse(text)).map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)]);
  } catch {
    return [];
  }
};
const deviceCard = (own) => make('div', { class: 'card' }, make('h4', null, own.device), facts([['uuid', own.uuid], ['architecture', own.architecture], ['driver', own.driver], ['compiler', own.compiler],
  ['tune', own.tool_version], ['host', own.host], ['measured from', own.first_day], ['to', own.last_day], ['memory', `${shownCount(own.memory_bytes)} bytes`],
  [own.kind === 'cpu' ? 'cores' : 'SMs', shownCount(own.unit_count)],
  ['measured ceilings', own.read_gbs > 0 && `read ${shownRate(own.read_gbs)} GB/s, write ${shownRate(own.write_gbs ?? null)} GB/s, copy ${shownRate(own.copy_gbs ?? null)} GB/s`],
  ['10\u2079 operations/s', own.arithmetic]]), make('details', null, make('summary', null, 'All that is known of it'), facts(factsOf(own.facts))));
const drawRepeat = () => [state.data.runs.map(drawRun), make('h3', null, 'Where'), make('div', { class: 'cards' }, state.data.environments.map(deviceCard)),
  note(`${state.data.database} is an SQLite file of tune\u2019s schema ${state.data.schema}. Figures as files: `, code(`tune plot --list ${databaseOption()}`), '.')];

const hasWinners = () => state.data.problems.some(({ winner }) => winner);
SECTIONS.push(
  ['together', 'In short', 'All problems together', drawTogether, hasWinners],
  ['winners', 'What to launch', 'What to launch', drawWinners, hasWinners],
  ['compare', 'Side by side', 'Side by side', drawComparisons, () => state.data.comparisons.length > 0],
  ['ranges', 'By size', 'What production gets, size by size', drawRanges, hasWinners],
  ['why', 'Why', 'Why it wins, and what limits it', drawWhy, hasWinners],
  ['parameters', 'Parameters', 'The parameters that matter', drawParameters, () => state.data.problems.some(({ winner }) => winner && winner.why && winner.why.sensitivities.length > 0)],
  ['failures', 'Failures', 'What failed, and why', drawFailures, () => true],
  ['search', 'Search', 'How the space was searched', drawSearches, () => true],
  ['trust', 'Trust', 'How far this can be trusted', drawTrust, () => true],
  ['repeat', 'Repeat', 'How to repeat it', drawRepeat, () => true],
);
// Folded: one line each; `open`: ids of those that the reader had opened.
const drawSections = (open) => SECTIONS.filter(([, , , , isThere]) => isThere()).map(([id, , heading, content]) =>
  make('section', { id }, fold({ class: 'fold', open: open.includes(id) }, make('h2', null, heading), content)));
