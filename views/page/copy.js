'use strict';
// A launch in the forms that people take away.
const dimensions = (dim) => dim[1] === 1 && dim[2] === 1 ? String(dim[0]) : `dim3(${dim.join(', ')})`;
const oneLine = (text) => String(text).replace(/\s+/g, ' ').replaceAll('*/', '* /');
const launchesOf = (problem) => problem.winner.launches.filter((launch) => !launch.threads);

const asChevrons = (problem) => launchesOf(problem).map((launch) =>
  `<<<${dimensions(launch.grid)}, ${dimensions(launch.block)}, ${launch.dynamic_shared_bytes}>>>`).join('; ');

const asC = (problem) => {
  const winner = problem.winner;
  const lines = [`/* ${oneLine(problem.problem)}, n = ${problem.n}, on ${oneLine(problem.part.setting)}: ${shownTime(winner.time_ns)} */`];
  for (const [name, value] of Object.entries(winner.parameters)) {
    const macro = 'TUNED_' + name.toUpperCase().replace(/[^A-Z0-9_]/g, '_');
    lines.push(`#define ${macro} ${typeof value === 'string' ? JSON.stringify(oneLine(value)) : oneLine(JSON.stringify(value))}`);
  }
  launchesOf(problem).forEach((launch, index) => {
    const suffix = index === 0 ? '' : String(index + 1);
    if (launch.cluster || launch.cooperative) { // <<< >>> has neither
      lines.push(`/* by cudaLaunchKernelExC: ${[launch.cluster && `cudaLaunchAttributeClusterDimension ${launch.cluster.join(', ')}`,
        launch.cooperative && 'cudaLaunchAttributeCooperative'].filter(Boolean).join('; ')} */`);
    }
    lines.push(`const dim3 grid${suffix}(${launch.grid.join(', ')}), block${suffix}(${launch.block.join(', ')});`,
      `${oneLine(launch.kernel)}<<<grid${suffix}, block${suffix}, ${launch.dynamic_shared_bytes}, stream>>>(/* ... */);`);
  });
  return lines.join('\n');
};

const asJson = (problem) => {
  const { winner, part } = problem;
  return JSON.stringify({
    device: part.device, experiment: part.experiment, problem: problem.problem, n: problem.n, l2_mode: part.l2_mode,
    objective: part.objective, parameters: winner.parameters, launches: winner.launches, time_ns: winner.time_ns,
    time_low_ns: winner.time_low_ns, time_high_ns: winner.time_high_ns, trust: winner.trust,
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
  const said = make('output', { class: 'copied', 'aria-live': 'polite' });
  const shown = make('pre', { class: 'copy-text', hidden: true, tabindex: '0' });
  const forms = [
    ['<<<grid, block, shared>>>', launchesOf(problem).length > 0 ? asChevrons(problem) : null],
    ['C', asC(problem)],
    ['tuned.conf', problem.winner.conf],
    ['JSON', asJson(problem)],
  ].filter(([, text]) => text);
  return make('div', { class: 'copy', role: 'group', 'aria-label': 'Copy the launch' },
    make('span', { class: 'quiet' }, 'Copy as'),
    forms.map(([name, text]) => make('button', {
      type: 'button', 'data-form': name,
      onclick: async () => {
        shown.textContent = text;
        shown.hidden = false;
        said.textContent = await toClipboard(text) ? `copied as ${name}` : 'select the text below and copy it';
      },
    }, name)), said, shown);
};
