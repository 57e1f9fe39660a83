// Makes elements of the page. Text is always set as text, so nothing of a submission can become markup.
function part(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function drawn(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "click") element.addEventListener("click", value);
    else if (value !== false && value !== null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

// A number that fits into a small cell: at most five characters. The whole one is told where the cell is picked.
function brief(text) {
  if (text.length <= 5) return text;
  const value = Number(text);
  if (!Number.isFinite(value)) return text.slice(0, 4) + "…";
  for (let digits = 3; digits > 0; --digits) {
    const short = String(Number(value.toPrecision(digits))).replace(/^(-?)0\./, "$1.");
    if (short.length <= 5) return short;
  }
  return value.toExponential(0).replace("e+", "e");
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
