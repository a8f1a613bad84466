'use strict';
// The data block: columns become arrays, launches are decoded when their problem is first looked at.
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const DIGIT = new Uint8Array(128);
[...DIGITS].forEach((digit, value) => { DIGIT[digit.charCodeAt(0)] = value; });

// Of each row its value, null where the database has none. A column that is missing has none at all.
const decode = (column, count) => {
  if (!column) return new Array(count).fill(null);
  if (Array.isArray(column)) return column;
  const width = column.codes.length / count;
  const rows = new Array(count);
  for (let row = 0; row < count; row++) {
    let code = 0;
    for (let at = row * width; at < (row + 1) * width; at++) code = code * 64 + DIGIT[column.codes.charCodeAt(at)];
    rows[row] = column.values[code];
  }
  return rows;
};
const isNumber = (text) => text !== null && text !== '' && Number.isFinite(Number(text));
const distinct = (values) => [...new Set(values)].filter((value) => value !== null)
  .sort((a, b) => isNumber(a) && isNumber(b) ? a - b : String(a).localeCompare(String(b), 'en', { numeric: true }));

// Launches of a problem: an array for each column, and what is made of them.
const decodePoints = (problem) => {
  const { count, ...columns } = problem.encoded;
  const points = { count };
  for (const name of ['sweep_ns', 'sweep_mad_ns', 'final_ns', 'final_mad_ns', 'final_stage', 'launch_count', 'grid',
    'block', 'occupancy_percent', 'registers', 'shared_bytes', 'spill_bytes', 'threads', 'status', 'detail',
    'configuration', 'difference', 'difference_low', 'difference_high', 'tied', 'out'])
    points[name] = decode(columns[name], count);
  const each = (make) => Array.from({ length: count }, (_, i) => make(i));
  points.time_ns = each((i) => points.final_ns[i] ?? points.sweep_ns[i]);
  points.mad_ns = each((i) => points.final_ns[i] === null ? points.sweep_mad_ns[i] : points.final_mad_ns[i]);
  points.stage = each((i) => points.final_ns[i] === null ? (points.sweep_ns[i] === null ? null : 'sweep') : points.final_stage[i]);
  points.rate = each((i) => points.time_ns[i] > 0 ? problem.amount / points.time_ns[i] : null);
  points.blocks_per_sm = each((i) => points.grid[i] === null ? null : points.grid[i] / problem.part.unit_count);
  points.parameters = {};
  for (const parameter of problem.part.parameters)
    points.parameters[parameter.name] = each((i) => parameter.values[points.configuration[i]]);
  points.order = each((i) => i).filter((i) => points.rate[i] !== null).sort((a, b) => points.time_ns[a] - points.time_ns[b]);
  return points;
};

// ---- winners: rows of `tune show --json`, `--why --json`, and what the page adds to them ----
const OPEN = 'not confirmed yet';
const WINNER_NONE = { ceiling_percent: null, time_low_ns: null, time_high_ns: null, gbs: null, claim_percent: null, confidence: null, floor_percent: null, as_fast: null, not_compared: null };
const LIMIT_NONE = { ceiling: null, ceiling_gbs: null, arithmetic_gops: null, operations_type: null, launch_share: null, busy_units: null, delta: null, ceiling_share: null, arithmetic_share: null, gops: null, occupancy: null, bytes_in_flight_per_sm: null };
let isRunning = false; // of a page that follows a run: unconfirmed choices may still be confirmed
const readWinner = ({ winner, why, gains, launch, advice, groups, rounds, rounds_dropped: dropped }) => {
  if (!winner) return null;
  const own = why && why[0];
  const isOpen = isRunning && winner.stage !== 'confirm';
  const unknown = { peer: false, standing: null, ratio: null, low: null, high: null, at_least: null };
  return {
    ...WINNER_NONE, ...winner, gains: gains.map((gain) => ({ ...unknown, ...gain })), launch, advice: isOpen ? '' : advice, groups, rounds, rounds_dropped: dropped, why: own || null,
    verdict: isOpen ? OPEN : winner.verdict, headline: isOpen ? OPEN : winner.headline,
    limit: own ? { ...LIMIT_NONE, ...own, ...own.points[0], name: own.limit, text: own.limit_text } : null,
  };
};
// Sure of the choice is not enough where the space was hardly seen, or most of it failed: the headline says so.
const isSure = (winner) => winner.headline === 'sure';
const isUnseen = (winner) => winner.headline !== winner.verdict;

// The entries of tuned.conf: {heading, problem, low, high, words, values}.
const readConf = (text) => {
  const entries = [];
  let heading = '';
  for (const line of text.split('\n')) {
    const found = line.startsWith(' ') || line.startsWith('#') ? null : /^(.+?) n=(\d+)(?:-(\d+))? (.*)$/.exec(line);
    if (line.startsWith('[')) heading = line;
    else if (found && heading) {
      const [configuration, ...rest] = found[4].split(' | ');
      entries.push({ heading, line, problem: found[1], low: Number(found[2]), high: Number(found[3] || found[2]), configuration, rest: rest.join(' ') });
    } else if (/^\s+\| /.test(line) && entries.length > 0) entries.at(-1).rest += line.replace(/^\s+\|/, '');
  }
  for (const entry of entries)
    entry.values = Object.fromEntries([...entry.rest.matchAll(/(?:^|\s)([\w.]+)=("[^"]*"|\S*)/g)].map(([, name, value]) => [name, value.replace(/^"|"$/g, '')]));
  return entries;
};
const confHeading = (part) => `[${part.kind} "${part.device}"]`;

const readData = (json) => {
  const data = { ...json, problems: [], parts: [], entries: readConf(json.conf) };
  json.parts.forEach((given, index) => {
    const part = { ...given, index, problems: [] };
    const count = Math.max(0, ...given.problems.map((problem) =>
      Math.max(-1, ...decode(problem.points.configuration, problem.points.count)) + 1));
    part.parameters = given.parameters.map(({ name, column }) => {
      const values = decode(column, count);
      return { name, values, isNumeric: values.every((value) => value === null || isNumber(value)) };
    });
    for (const raw of given.problems) {
      const problem = { problem: raw.problem, n: raw.n, bytes_moved: raw.bytes_moved, operations: raw.operations, marks: raw.marks, limits: raw.limits || [], every: raw.every || 1, part, encoded: raw.points, winner: readWinner(raw) };
      problem.unit = problem.bytes_moved ? 'GB/s' : problem.operations ? '10\u2079 operations/s' : 'runs/s';
      problem.amount = problem.bytes_moved || problem.operations || 1e9;
      const { winner } = problem;
      const limit = winner && winner.limit;
      // A ceiling that its winner is above is none.
      problem.ceiling = !limit ? null : problem.bytes_moved ? (winner.ceiling_percent === null ? null : limit.ceiling_gbs)
        : limit.arithmetic_share === null ? null : limit.arithmetic_gops;
      problem.ceilingName = limit && (problem.bytes_moved ? `${limit.ceiling} ceiling` : `ceiling of ${limit.operations_type}`);
      if (winner && part.objective === 'time')
        problem.entry = data.entries.find((own) => own.heading.startsWith(confHeading(part)) && own.problem === problem.problem && own.low <= problem.n && problem.n <= own.high);
      let points = null;
      Object.defineProperty(problem, 'points', { get: () => points || (points = decodePoints(problem)) });
      part.problems.push(problem);
      data.problems.push(problem);
    }
    data.parts.push(part);
  });
  data.settings = [...new Set(data.parts.map((part) => part.setting))];
  return data;
};

// The kind of a ratio's bounds in tables: 'known', 'at least' the lower one, or 'unknown'.
const boundsTell = (low, high) => low > 0 && high >= low && high <= state.data.apart_most * low;
const boundsKind = (low, high) => (!Number.isFinite(low) && !Number.isFinite(high)) || boundsTell(low, high) ? 'known' : low > 1 ? 'at least' : 'unknown';

// ---- numbers as people read them: as the tables have them ----
const shownTime = (ns) => {
  if (ns === null || ns === undefined) return '\u2013';
  const units = ['ns', '\u00b5s', 'ms', 's'];
  let unit = 0;
  while (Math.abs(ns) >= 999.95 && unit < 3) { ns /= 1000; unit++; }
  return `${ns.toFixed(Math.abs(ns) < 9.9995 ? 3 : Math.abs(ns) < 99.995 ? 2 : 1)} ${units[unit]}`;
};
const shownGain = (ratio) => `${ratio.toFixed(ratio < 99.995 ? 2 : 0)}\u00d7`;
const shownPercent = (percent) => percent === null || percent === undefined ? '\u2013'
  : `${percent.toFixed(Math.abs(percent) < 9.95 ? 2 : 1)} %`;
const grouped = new Intl.NumberFormat('en-US');
const shownCount = (count) => count === null || count === undefined ? '\u2013' : grouped.format(count);
const shownRate = (rate) => rate === null ? '\u2013'
  : rate >= 1e6 ? rate.toExponential(2) : rate >= 999.5 ? shownCount(Math.round(rate)) : rate.toFixed(rate < 9.995 ? 2 : rate < 99.95 ? 1 : 0);
const shownBytes = (bytes) => bytes === null || bytes === undefined ? '\u2013'
  : bytes < 10240 ? `${shownCount(Math.round(bytes))} B` : `${(bytes / 1024).toFixed(bytes < 102400 ? 1 : 0)} KiB`;
// 2^28 where that is what it is: heads of columns are narrow.
const shownSize = (n) => {
  const power = Math.log2(n);
  const ten = Math.log10(n);
  return n >= 1024 && Number.isInteger(power) ? `2^${power}` : n >= 1e5 && Number.isInteger(ten) ? `10^${ten}` : shownCount(n);
};
// A baseline that is not shown to be slower: no gain, whatever the ratio.
const hasNoGain = (gain) => gain.standing === 'as fast' || gain.standing === 'not compared';
// The ratio that stands for a gain: 1 if none is shown, null if its bounds exclude nothing.
const gainRatio = (gain) => !gain ? null : hasNoGain(gain) && gain.ratio ? 1 : gain.ratio ?? gain.at_least;
const shownRatio = (gain) => hasNoGain(gain) ? gain.standing : gain.ratio ? shownGain(gain.ratio) : `over ${shownGain(gain.at_least)}`;
