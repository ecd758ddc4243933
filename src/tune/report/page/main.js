/* Puts the sections together, and lets tests look inside. */
const SECTIONS = [
  ['result', 'Result', renderResult], ['waterfall', 'Waterfall', renderWaterfall], ['setting', 'Setting', renderSetting], ['limits', 'Limits', renderLimits],
  ['kept', 'Kept', renderKept], ['trials', 'Tried', renderTrials], ['advice', 'For you', renderAdvice], ['search', 'Search', renderSearch],
];

function start() {
  const main = document.getElementById('main'), links = [];
  startTheme();
  const data = settle(JSON.parse(document.getElementById('data').textContent));
  for (const [id, title, render] of SECTIONS) {
    const section = render(data);
    if (!section) continue;
    main.append(section);
    links.push(h('a', {href: `#${id}`}, title));
  }
  const title = ['Tuning', data.subject].filter(Boolean).join(' ');
  document.title = `Stoker: ${title}`;
  document.getElementById('title').textContent = title;
  document.getElementById('nav').replaceChildren(...links);
  document.getElementById('foot').textContent = `Made by ${['Stoker', data.version].filter(Boolean).join(' ')}. This file is complete: it loads nothing from anywhere.`;
  window.stoker = {page, view, settingText: () => settingText(data)};
}

start();
