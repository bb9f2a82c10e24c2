/**
 * The page: one button, a call, its state in words, its captions and its two levels. It calls when the button is pressed
 * and never by itself. What to show is decided in view.ts; here it is only written down.
 */
import { createVoiceCall, type VoiceCall } from '../client/index.ts';
import { writeCaptions, writeText } from './captions/caption-log.ts';
import { type Captions, captionsAfter, captionsAtEnd } from './captions/captions.ts';
import { readPageConfig } from './page-config.ts';
import { AT_FIRST, type PageState, pageStateAfter, pageStateAt, type Situation } from './page-state.ts';
import { type Meters, startMeters } from './stage/meters.ts';
import { speechFor, TEXTS } from './texts/languages.ts';
import { type Press, type View, viewOf } from './view.ts';

/** A second press within this time is the same press: a double click is one call, and not one that is cancelled. */
const SAME_PRESS_MS = 500;

const PRESSES: Readonly<Record<Press, () => void>> = {
  start() {
    writeDown([]);
    call?.start();
  },
  stop: () => call?.stop(),
  reload: () => location.reload(),
};

const speech = speechFor(navigator.languages);
const { language } = speech;
const texts = TEXTS[language];
const page = element('page');
const button = element('button');
const voice = new Audio();

let call: VoiceCall | undefined;
let state: PageState = AT_FIRST;
let captions: Captions = [];
let meters: Meters | undefined;
let redraw: ReturnType<typeof setTimeout> | undefined;
let pressedAt = Number.NEGATIVE_INFINITY;

document.documentElement.lang = language;
document.title = texts.title;
for (const id of ['title', 'footer', 'visitor', 'model'] as const) {
  write(id, texts[id]);
}
write('no-captions', texts.noCaptions);
element('log').ariaLabel = texts.captions;
// Not every browser lets the keyboard scroll what has no place in its order.
element('log').tabIndex = 0;
button.addEventListener('click', press);
// A key that is held down would press again and again.
button.addEventListener('keydown', (event) => event.repeat && event.preventDefault());
// The timers of a page in the background or in the back-forward cache are late or stopped.
addEventListener('pageshow', draw);
document.addEventListener('visibilitychange', draw);
// The browser lets a voice be heard as soon as the visitor has touched the page.
addEventListener('pointerup', playHeldSound);
addEventListener('keyup', playHeldSound);

const config = await readPageConfig();
if (config === undefined) {
  become({ name: 'misconfigured' });
} else {
  call = createVoiceCall({ ...config, language });
  call.onState(become);
  call.onEvent((event) => writeDown(captionsAfter(captions, event)));
  draw();
}
page.hidden = false;

function press(event: Event): void {
  const samePress = event.timeStamp - pressedAt < SAME_PRESS_MS;
  pressedAt = event.timeStamp;
  if (samePress) {
    return;
  }
  const { press: wanted } = draw();
  if (wanted !== undefined) {
    PRESSES[wanted]();
  }
}

function become(situation: Situation): void {
  const before = state.situation;
  state = pageStateAfter(state, situation, Date.now());
  if (before.name === 'live') {
    meters?.stop();
    meters = undefined;
    voice.srcObject = null;
    writeDown(captionsAtEnd(captions));
  }
  draw();
  if (situation.name === 'live') {
    voice.srcObject = situation.remoteAudio;
    play();
    meters = startMeters([
      [situation.microphone, element('visitor-level')],
      [situation.remoteAudio, element('model-level')],
    ]);
  }
}

function play(): void {
  voice.play().then(
    () => holdSound(false),
    // An AbortError says that this call is over already.
    (error) => holdSound(error.name === 'NotAllowedError'),
  );
}

function holdSound(soundHeld: boolean): void {
  state = { ...state, soundHeld: soundHeld && state.situation.name === 'live' };
  draw();
}

function playHeldSound(): void {
  if (state.soundHeld) {
    play();
  }
}

function writeDown(next: Captions): void {
  captions = next;
  writeCaptions(element('captions'), captions, language);
}

function draw(): View {
  const now = Date.now();
  state = pageStateAt(state, now);
  const view = viewOf(state, speech, now);

  page.dataset['state'] = state.situation.name;
  page.classList.toggle('talk', view.offer === 'hang-up' || captions.some(({ text }) => text !== ''));
  page.style.setProperty('--share', String(view.countdown?.share ?? 0));
  element('glyph').setAttribute('d', view.glyph);
  write('headline', view.headline);
  write('sentence', view.sentence);
  write('digits', view.countdown?.digits ?? '');
  write('caption', view.countdown?.caption ?? '');
  write('offer', texts.button[view.offer]);
  write('note', view.note);
  button.dataset['offer'] = view.offer;
  // Not `disabled`, which would take the keyboard's focus away from whoever has just pressed.
  button.ariaDisabled = String(view.press === undefined);

  clearTimeout(redraw);
  if (state.period !== undefined) {
    redraw = setTimeout(draw, (state.period.until - now) % 1000 || 1000);
  }
  return view;
}

function write(id: string, text: string): void {
  writeText(element(id), text);
}

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) {
    throw new Error(`The page has no element "${id}".`);
  }
  return found;
}
