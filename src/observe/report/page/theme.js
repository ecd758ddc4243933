/* Light or dark: as the reader's system wishes, until the button is pressed. Paper is light. */
function startTheme(changed) {
  const wish = matchMedia('(prefers-color-scheme: dark)'), button = document.getElementById('theme');
  const isDark = () => document.documentElement.dataset.theme === 'dark';
  const set = (dark) => {
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    button.textContent = dark ? 'Light' : 'Dark';
    if (changed) changed();
  };
  set(wish.matches);
  wish.addEventListener('change', () => set(wish.matches));
  button.addEventListener('click', () => set(!isDark()));
  let dark = false;
  addEventListener('beforeprint', () => {
    dark = isDark();
    set(false);
  });
  addEventListener('afterprint', () => set(dark));
}
