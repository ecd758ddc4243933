/* Run in the page: texts that lie over each other, as [text, text]. What a scrolling box hides does not count. */
const clipOf = (element) => {
  let box = {left: 0, top: -1e9, right: innerWidth, bottom: 1e9};
  for (let at = element; at && at !== document.body; at = at.parentElement) {
    if (!/auto|hidden|scroll/.test(getComputedStyle(at).overflow)) continue;
    const r = at.getBoundingClientRect();
    box = {left: Math.max(box.left, r.left), top: Math.max(box.top, r.top), right: Math.min(box.right, r.right), bottom: Math.min(box.bottom, r.bottom)};
  }
  return box;
};
const boxes = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const parent = node.parentElement;
  if (!node.data.trim() || parent.closest('script, style, noscript, .tip, .skip, .top')) continue;
  range.selectNodeContents(node);
  const clip = clipOf(parent);
  for (const r of range.getClientRects()) {
    const high = r.height * 0.2, one = {text: node.data.trim().slice(0, 40), left: Math.max(r.left, clip.left) + 1, right: Math.min(r.right, clip.right) - 1,
      top: Math.max(r.top + high, clip.top), bottom: Math.min(r.bottom - high, clip.bottom)};
    if (one.right > one.left && one.bottom > one.top) boxes.push(one);
  }
}
boxes.sort((a, b) => a.top - b.top);
const found = [];
for (let i = 0; i < boxes.length; i++)
  for (let k = i + 1; k < boxes.length && boxes[k].top < boxes[i].bottom; k++)
    if (boxes[k].left < boxes[i].right && boxes[i].left < boxes[k].right) found.push([boxes[i].text, boxes[k].text]);
return {count: boxes.length, found};
