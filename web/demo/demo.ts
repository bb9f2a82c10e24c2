/**
 * The page: one button, and for a call its state in words, its captions and two level meters. A call starts only when the
 * button is pressed. view.ts decides what to show; this file writes it to the page.
 */
import { createVoiceCall, type VoiceCall } from '../client/index.ts';
import { writeCaptions, writeText } from './captions/caption-log.ts';
import { type Captions, captionsAfter, captionsAtEnd } from './captions/captions.ts';
import { readPageConfig } from './page-config.ts';
import {
  INITIAL_STATE,
  type PageState,
  pageStateAfter,
  pageStateAt,
  type Situation,
  type SoundProblem,
} from './page-state.ts';
import { type Meters, startMeters } from './stage/meters.ts';
import { speechFor, TEXTS } from './texts/languages.ts';
import { type Press, type View, viewOf } from './view.ts';

/** A second press within this time is ignored. Otherwise a double click would start a call and cancel it. */
const SAME_PRESS_MS = 500;

/** By the error of `play()`. An AbortError means that the call has already ended. */
const SOUND_PROBLEMS: ReadonlyMap<string, SoundProblem> = new Map([
  ['NotAllowedError', 'sound-blocked'],
  ['NotSupportedError', 'sound-failed'],
]);

const PRESSES: Readonly<Record<Press, () => void>> = {
  start() {
    showCaptions([]);
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
let state: PageState = INITIAL_STATE;
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
// Some browsers let the keyboard scroll only elements that it can focus.
element('log').tabIndex = 0;
button.addEventListener('click', press);
// A key that is held down would press the button repeatedly.
button.addEventListener('keydown', (event) => event.repeat && event.preventDefault());
// In the background or in the back-forward cache, timers fire late or not at all.
addEventListener('pageshow', draw);
document.addEventListener('visibilitychange', draw);
// A browser that blocks sound allows it once the visitor touches the page. To Chrome, Shift and Escape are no touch.
addEventListener('pointerup', playBlockedSound);
addEventListener('keyup', playBlockedSound);
// For example, Safari pauses the sound when headphones are unplugged.
voice.addEventListener('pause', () => setSoundProblem('sound-blocked'));

const config = await readPageConfig();
if (config === undefined) {
  become({ name: 'misconfigured' });
} else {
  call = createVoiceCall({ ...config, language });
  call.onState(become);
  call.onEvent((event) => showCaptions(captionsAfter(captions, event)));
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
  const voiceBefore = voiceIn(state.situation);
  state = pageStateAfter(state, situation, Date.now());
  const isSameVoice = voiceIn(situation) === voiceBefore;
  if (voiceBefore !== undefined && !isSameVoice) {
    meters?.stop();
    meters = undefined;
    voice.srcObject = null;
    showCaptions(captionsAtEnd(captions));
  }
  draw();
  if (situation.name === 'live' && !isSameVoice) {
    voice.srcObject = situation.remoteAudio;
    play();
    meters = startMeters([
      [situation.microphone, element('visitor-level')],
      [situation.remoteAudio, element('model-level')],
    ]);
  }
}

/** The model's voice. A live state that only changes its notice has the same one. */
function voiceIn(situation: Situation): MediaStream | undefined {
  return situation.name === 'live' ? situation.remoteAudio : undefined;
}

function play(): void {
  voice.play().then(
    () => setSoundProblem(undefined),
    (error) => setSoundProblem(SOUND_PROBLEMS.get(error.name)),
  );
}

function setSoundProblem(soundProblem: SoundProblem | undefined): void {
  state = { ...state, soundProblem: state.situation.name === 'live' ? soundProblem : undefined };
  draw();
}

function playBlockedSound(): void {
  if (state.soundProblem === 'sound-blocked') {
    play();
  }
}

function showCaptions(next: Captions): void {
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
  // Not `disabled`: that would remove the keyboard focus from the button that was just pressed.
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
