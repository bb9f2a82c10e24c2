/**
 * The page: one button, the state in words, the time that is left. It asks for a key when the button is pressed and
 * never by itself, and it keeps no key: the plain page has no use for one beyond saying that it was issued.
 */
import { requestSessionKey } from '../client/index.ts';
import { mayAsk, periodOf, type State, stateAfterAnswer, stateAt } from './state.ts';
import { speechFor, TEXTS } from './texts.ts';
import { viewOf } from './view.ts';

const speech = speechFor(navigator.languages);
const { language } = speech;
const page = element('page');
const button = element('button');

let state: State = { name: 'idle' };
let redraw: ReturnType<typeof setTimeout> | undefined;

document.documentElement.lang = language;
document.title = TEXTS[language].title;
write('title', TEXTS[language].title);
write('footer', TEXTS[language].footer);
button.addEventListener('click', press);
// The timers of a page in the background or in the back-forward cache are late or stopped.
addEventListener('pageshow', draw);
document.addEventListener('visibilitychange', draw);
draw();
page.hidden = false;

function press(): void {
  draw();
  if (mayAsk(state)) {
    become({ name: 'asking' });
    void requestSessionKey({ language }).then((outcome) => become(stateAfterAnswer(outcome, Date.now())));
  }
}

function become(next: State): void {
  state = next;
  draw();
}

function draw(): void {
  const now = Date.now();
  state = stateAt(state, now);
  const view = viewOf(state, speech, now);

  page.dataset['state'] = state.name;
  page.style.setProperty('--share', String(view.countdown?.share ?? 0));
  write('headline', view.headline);
  write('sentence', view.sentence);
  write('digits', view.countdown?.digits ?? '');
  write('caption', view.countdown?.caption ?? '');
  write('button', view.button);
  write('note', view.note);
  // Not `disabled`, which would take the keyboard's focus away from whoever has just pressed.
  button.setAttribute('aria-disabled', String(!view.pressable));

  clearTimeout(redraw);
  const period = periodOf(state);
  if (period !== undefined) {
    redraw = setTimeout(draw, (period.until - now) % 1000 || 1000);
  }
}

/** Only what has changed: a screen reader may say again whatever is written again. */
function write(id: string, text: string): void {
  const target = element(id);
  if (target.textContent !== text) {
    target.textContent = text;
  }
}

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) {
    throw new Error(`The page has no element "${id}".`);
  }
  return found;
}
