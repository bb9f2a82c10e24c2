/** Every state of a call, for tests of what must hold in each. */
import type { EndReason, FailureReason, LiveNotice, ReconnectingStep } from '../../../web/client/call-state.ts';
import type { RealtimeEvent } from '../../../web/client/transport/realtime-event.ts';
import { type Language, TEXTS } from '../../../web/demo/texts/languages.ts';
import type { ScriptedState } from './scripted-call.ts';
import { NOW } from './scripted-page.ts';

const MINUTE = 60_000;
const MODEL = 'gpt-realtime-2.1-mini';
const ALLOWANCE = { calls: 9, until: NOW + 31 * MINUTE };

export const LIVE = {
  name: 'live',
  model: MODEL,
  allowance: ALLOWANCE,
  since: NOW - 78_000,
  until: NOW - 78_000 + 10 * MINUTE,
  notice: undefined,
} as const satisfies ScriptedState;

const NOTICES: Readonly<Record<LiveNotice, LiveNotice>> = {
  'sound-blocked': 'sound-blocked',
  'microphone-muted': 'microphone-muted',
};

const STEPS: Readonly<Record<ReconnectingStep['name'], ReconnectingStep>> = {
  waiting: { name: 'waiting', until: NOW + 3000 },
  offline: { name: 'offline' },
  hidden: { name: 'hidden' },
  minting: { name: 'minting' },
  connecting: { name: 'connecting' },
};

const SENTENCE: Readonly<Record<Language, string>> = {
  en: 'You have used all your calls for now. You can call again in 25 minutes.',
  ja: '通話の回数が上限に達しました。25分後にもう一度お試しください。',
};

/** By name, in the order in which a call reaches them. */
export function everyState(language: Language): ReadonlyMap<string, ScriptedState> {
  const sentence = SENTENCE[language];
  const states: [string, ScriptedState][] = [
    ['idle', { name: 'idle' }],
    ['asking-for-microphone', { name: 'asking-for-microphone' }],
    ['minting', { name: 'minting' }],
    ['connecting', { name: 'connecting', model: MODEL, allowance: ALLOWANCE }],
    ['live', LIVE],
    ['live-last-minute', { ...LIVE, until: NOW + 42_000 }],
  ];
  for (const notice of Object.values(NOTICES)) {
    states.push([`live-${notice}`, { ...LIVE, notice }]);
  }
  for (const step of Object.values(STEPS)) {
    states.push([`reconnecting-${step.name}`, { name: 'reconnecting', attempt: 2, attempts: 5, step }]);
  }
  states.push(
    ['refused', { name: 'refused', code: 'rate_limited', sentence, retryAt: NOW + 1_458_000 }],
    ['refused-without-time', { name: 'refused', code: 'paused', sentence: undefined, retryAt: undefined }],
  );
  for (const reason of Object.keys(TEXTS[language].failed) as FailureReason[]) {
    states.push([`failed-${reason}`, { name: 'failed', reason, sentence: undefined, retryAt: undefined }]);
  }
  states.push(['failed-for-a-time', { name: 'failed', reason: 'busy', sentence: undefined, retryAt: NOW + 20_000 }]);
  for (const reason of Object.keys(TEXTS[language].ended) as EndReason[]) {
    states.push([`ended-${reason}`, { name: 'ended', reason }]);
  }
  return new Map(states);
}

const TALK: Readonly<Record<Language, readonly (readonly [RealtimeEvent['type'], string])[]>> = {
  en: [
    ['model', 'Hello! What would you like to talk about?'],
    ['visitor', 'What is a good tea for the evening?'],
    ['model', 'Rooibos is a lovely choice. It has no caffeine, so it will not keep you awake.'],
    ['visitor', 'And how long should it steep?'],
    ['model', 'Five to seven minutes, with boiling water. It does not turn bitter, so'],
  ],
  ja: [
    ['model', 'こんにちは。今日は何についてお話ししましょうか。'],
    ['visitor', '夜に飲むお茶は何がいいですか。'],
    ['model', 'ルイボスティーがおすすめです。カフェインが入っていないので、眠りを妨げません。'],
    ['visitor', '何分くらい蒸らせばいいですか。'],
    ['model', '沸騰したお湯で五分から七分です。苦くならないので、'],
  ],
};

/** A conversation in which the model is still speaking. */
export function talk(language: Language): readonly RealtimeEvent[] {
  const lines = TALK[language];
  return lines.map(([speaker, text], index): RealtimeEvent => {
    const item = { item_id: `item_${index}`, transcript: text, delta: text };
    if (speaker === 'visitor') {
      return { ...item, type: 'conversation.item.input_audio_transcription.completed' };
    }
    const end = index === lines.length - 1 ? 'delta' : 'done';
    return { ...item, type: `response.output_audio_transcript.${end}` };
  });
}
