'use strict';
// A launch in the forms that people take away.
const dimensions = (dim) => dim[1] === 1 && dim[2] === 1 ? String(dim[0]) : `dim3(${dim.join(', ')})`;
const oneLine = (text) => String(text).replace(/\s+/g, ' ').replaceAll('*/', '* /');
const launchesOf = (problem) => problem.winner.launches.filter((launch) => launch.grid[0] && !launch.threads);

const asChevrons = (problem) => launchesOf(problem).map((launch) =>
  `<<<${dimensions(launch.grid)}, ${dimensions(launch.block)}, ${launch.dynamic_shared_bytes}>>>`).join('; ');

const inComment = (text) => oneLine(text).replaceAll('\\', '/'); // a backslash at the end of a line would go on with it
// What compiles as it stands: a function for each launch, to which the kernel and its arguments are given; of a CPU, two constants.
const asCode = (problem) => {
  const { winner, part } = problem;
  if (!winner.launches.some((launch) => launch.grid[0])) return null; // host functions
  const head = [`${problem.problem}, n = ${problem.n}, on ${part.setting}: ${shownTime(winner.time_ns).replace('\u00b5', 'u')}`,
    `the kernel is compiled for: ${Object.entries(winner.parameters).map((own) => own.join('=')).join(' ') || 'no parameters'}`];
  if (!part.is_gpu) {
    const own = winner.launches.find((launch) => launch.threads) || { grid: [1], threads: 1 };
    return [...head.map((line) => `/* ${inComment(line)} */`), `enum { tuned_blocks = ${own.grid[0]}, tuned_threads = ${own.threads} };`].join('\n');
  }
  const launches = launchesOf(problem);
  return [...head.map((line) => `// ${inComment(line)}`), '#include <cuda_runtime.h>', ...launches.flatMap((launch, index) => {
    const attributes = [launch.cluster && ['cudaLaunchAttributeClusterDimension', launch.cluster.map((size, axis) => `value.clusterDim.${'xyz'[axis]} = ${size}`)],
      launch.cooperative && ['cudaLaunchAttributeCooperative', ['value.cooperative = 1']]].filter(Boolean);
    return ['', `// ${inComment(launch.kernel)}`, 'template <typename... Parameters, typename... Arguments>',
      `cudaError_t launch_tuned${launches.length > 1 ? `_${index + 1}` : ''}(void (*kernel)(Parameters...), cudaStream_t stream, Arguments... arguments)`, '{',
      '    cudaLaunchConfig_t config = {};', `    config.gridDim = dim3(${launch.grid.join(', ')});`, `    config.blockDim = dim3(${launch.block.join(', ')});`,
      `    config.dynamicSmemBytes = ${launch.dynamic_shared_bytes};`, '    config.stream = stream;',
      ...(attributes.length > 0 ? [`    cudaLaunchAttribute attributes[${attributes.length}] = {};`, ...attributes.flatMap(([id, members], k) => [
        `    attributes[${k}].id = ${id};`, ...members.map((member) => `    attributes[${k}].${member.replace('value.', 'val.')};`)]),
      '    config.attrs = attributes;', `    config.numAttrs = ${attributes.length};`] : []),
      '    return cudaLaunchKernelEx(&config, kernel, arguments...);', '}'];
  })].join('\n');
};

const asJson = (problem) => {
  const { winner, part } = problem;
  return JSON.stringify({
    device: part.device, experiment: part.experiment, problem: problem.problem, n: problem.n, l2_mode: part.l2_mode,
    objective: part.objective, parameters: winner.parameters, launches: winner.launches, time_ns: winner.time_ns,
    time_low_ns: winner.time_low_ns, time_high_ns: winner.time_high_ns, verdict: winner.verdict,
  }, null, 2);
};

const toClipboard = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = make('textarea', { class: 'unseen' });
    area.value = text;
    document.body.append(area);
    area.select();
    const copied = document.execCommand('copy');
    area.remove();
    return copied;
  }
};

const copyButtons = (problem) => {
  const outcome = make('output', { class: 'copied', 'aria-live': 'polite' });
  const shown = make('pre', { class: 'copy-text', hidden: true, tabindex: '0' });
  const forms = [
    ['<<<grid, block, shared>>>', launchesOf(problem).length > 0 ? asChevrons(problem) : null],
    [problem.part.is_gpu ? 'CUDA C++' : 'C', asCode(problem)],
    ['tuned.conf', problem.entry && `${problem.entry.heading}\n${problem.entry.line}`],
    ['JSON', asJson(problem)],
  ].filter(([, text]) => text);
  return make('div', { class: 'copy', role: 'group', 'aria-label': 'Copy the launch' },
    make('span', { class: 'quiet' }, 'Copy as'),
    forms.map(([name, text]) => make('button', {
      type: 'button', 'data-form': name,
      onclick: async () => {
        shown.textContent = text;
        shown.hidden = false;
        outcome.textContent = await toClipboard(text) ? `copied as ${name}` : 'select the text below and copy it';
      },
    }, name)), outcome, shown);
};

// ---- tables as files ----
const csvCell = (value) => value === null || value === undefined ? '' : /[",\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value);
const saveCsv = (name, rows) => {
  const url = URL.createObjectURL(new Blob([rows.map((row) => row.map(csvCell).join(',')).join('\r\n') + '\r\n'], { type: 'text/csv' }));
  const link = make('a', { href: url, download: `${name.replace(/[^\w.+-]+/g, '_')}.csv`, class: 'unseen' });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
};
