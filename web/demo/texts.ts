/**
 * Every word of the page, in each language it speaks. A state without its words, or a language that lacks one, does not
 * compile. The server's own sentences are not here: they come in the right language and are shown as they are.
 */
import type { State } from './state.ts';

export type Language = 'en' | 'ja';

interface Texts {
  readonly title: string;
  /** The state in words, one line, large. */
  readonly headline: Readonly<Record<State['name'], string>>;
  /** What it means for the visitor. Shown unless the server sent a sentence of its own. */
  readonly sentence: Readonly<Record<State['name'], string>>;
  /** What the button says. */
  readonly button: Readonly<Record<State['name'], string>>;
  /** What the countdown counts. */
  readonly untilExpiry: string;
  readonly untilOpen: string;
  readonly callsLeft: (calls: number) => string;
  /** As `callsLeft`, where the end of the limit's window is known. `time` is formatted for the language. */
  readonly callsLeftUntil: (calls: number, time: string) => string;
  readonly footer: string;
}

export const TEXTS: Readonly<Record<Language, Texts>> = {
  en: {
    title: 'Voice demo',
    headline: {
      idle: 'Ready when you are',
      asking: 'One moment',
      ready: 'Your key is ready',
      expired: 'The key has expired',
      refused: 'Not just now',
      reopened: 'You can try again',
      busy: 'All lines are busy',
      unavailable: 'That did not work',
    },
    sentence: {
      idle: 'Press the button to get a key for a voice call. No sign-up, nothing to install.',
      asking: 'Asking for your key.',
      ready: 'It is never shown, and it opens nothing once the time is up.',
      expired: 'It opens nothing any more. You are welcome to get another.',
      refused: 'The service does not take calls at the moment.',
      reopened: 'Thank you for waiting.',
      busy: 'Many people are calling at the same moment. Please try again shortly.',
      unavailable: 'The service did not answer. Please check your connection and try again.',
    },
    button: {
      idle: 'Get a key',
      asking: 'Asking…',
      ready: 'Key received',
      expired: 'Get another key',
      refused: 'Try again',
      reopened: 'Get a key',
      busy: 'Try again',
      unavailable: 'Try again',
    },
    untilExpiry: 'until it expires',
    untilOpen: 'until you can try again',
    callsLeft: (calls) => (calls === 0 ? 'This was your last call for now' : `${calls} more ${noun(calls)}`),
    callsLeftUntil: (calls, time) =>
      calls === 0 ? `This was the last call until ${time}` : `${calls} more ${noun(calls)} until ${time}`,
    footer: 'Calls are free and limited, so that everybody gets a turn.',
  },
  ja: {
    title: '音声デモ',
    headline: {
      idle: 'いつでもどうぞ',
      asking: 'お待ちください',
      ready: 'キーを用意しました',
      expired: 'キーの期限が切れました',
      refused: '今はご利用になれません',
      reopened: '再びご利用いただけます',
      busy: '混み合っています',
      unavailable: 'うまくいきませんでした',
    },
    sentence: {
      idle: 'ボタンを押すと、音声通話に使うキーを受け取れます。登録もインストールも要りません。',
      asking: 'キーを取得しています。',
      ready: 'キーが画面に表示されることはありません。時間が過ぎると使えなくなります。',
      expired: 'このキーはもう使えません。新しいキーをお受け取りください。',
      refused: '現在、通話の受付を停止しています。',
      reopened: 'お待たせしました。',
      busy: 'アクセスが集中しています。少し待ってから、もう一度お試しください。',
      unavailable: 'サービスから応答がありません。通信状況を確認して、もう一度お試しください。',
    },
    button: {
      idle: 'キーを受け取る',
      asking: '取得中…',
      ready: '受け取りました',
      expired: '新しいキーを受け取る',
      refused: 'もう一度試す',
      reopened: 'キーを受け取る',
      busy: 'もう一度試す',
      unavailable: 'もう一度試す',
    },
    untilExpiry: '期限まで',
    untilOpen: '次に試せるまで',
    callsLeft: (calls) => (calls === 0 ? '今回の分で、いったん上限です' : `あと ${calls} 回`),
    callsLeftUntil: (calls, time) => (calls === 0 ? `次の通話は ${time} から` : `${time} まで、あと ${calls} 回`),
    footer: '無料でお使いいただけます。みなさまに行き渡るよう、回数に限りがあります。',
  },
};

/** How the page speaks to this visitor. */
export interface Speech {
  readonly language: Language;
  /** With the region, which decides between 15:00 and 3:00 PM. */
  readonly locale: string;
}

/** The first of the browser's languages that the page speaks, else English. */
export function speechFor(preferred: readonly string[]): Speech {
  for (const locale of preferred) {
    const language = locale.toLowerCase().split('-')[0];
    if (language === 'en' || language === 'ja') {
      return { language, locale };
    }
  }
  return { language: 'en', locale: 'en' };
}

function noun(calls: number): string {
  return calls === 1 ? 'call' : 'calls';
}
