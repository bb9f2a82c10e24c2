/**
 * What visitors read when they get no key: one or two sentences for each problem, in each language. Clients show them
 * unchanged. They say what happened and what to do, and reveal nothing about the implementation.
 */
import type { ProblemCode } from '../../contract/problems.ts';
import type { Language } from './language.ts';

/** Placeholder for the time to wait, in words. */
const WAIT = '{wait}';

const SENTENCES: Record<ProblemCode, Record<Language, string>> = {
  rate_limited: {
    ja: `通話の回数が上限に達しました。${WAIT}後にもう一度お試しください。`,
    en: `You have used all your calls for now. You can call again in ${WAIT}.`,
  },
  budget_exhausted: {
    ja: `このデモ全体の通話回数が上限に達しました。${WAIT}後に受付を再開します。`,
    en: `This demo has reached its call limit for all visitors. Calls open again in ${WAIT}.`,
  },
  paused: {
    ja: 'このデモは現在、休止しています。',
    en: 'This demo is paused at the moment.',
  },
  blocked: {
    ja: 'お使いの回線からのご利用は、現在制限されています。',
    en: 'Calls from your connection are blocked at the moment.',
  },
  origin_not_allowed: {
    ja: 'このページからは通話をご利用いただけません。',
    en: 'Calls from this page are not allowed.',
  },
  viewer_unknown: {
    ja: '接続元を確認できないため、通話を開始できません。',
    en: 'The call cannot start because we could not identify your connection.',
  },
  not_found: { ja: '指定されたURLには何もありません。', en: 'There is nothing at this address.' },
  method_not_allowed: {
    ja: 'このURLで使用できるメソッドはPOSTのみです。',
    en: 'Only POST requests are accepted at this address.',
  },
  body_not_allowed: { ja: 'リクエストの本文は空にしてください。', en: 'The request body must be empty.' },
  idempotency_key_invalid: {
    ja: 'Idempotency-Keyには、16〜128文字の表示可能なASCII文字を指定してください。',
    en: 'Idempotency-Key must be 16 to 128 visible ASCII characters.',
  },
  replay_in_progress: {
    ja: 'この通話はすでに準備中です。しばらくしてから、もう一度お試しください。',
    en: 'This call is already being prepared. Please try again in a moment.',
  },
  upstream_refused: {
    ja: '音声サービスに問題があり、通話を開始できません。運営者による対応が必要です。',
    en: 'The call cannot start because of a problem with our voice service. We need to fix it.',
  },
  upstream_unavailable: {
    ja: '現在、音声サービスを利用できません。しばらくしてから、もう一度お試しください。',
    en: 'The voice service is not available right now. Please try again in a moment.',
  },
  limiter_unavailable: {
    ja: '一時的に通話を開始できません。しばらくしてから、もう一度お試しください。',
    en: 'Calls cannot start right now. Please try again in a moment.',
  },
  misconfigured: {
    ja: 'このデモの設定に問題があり、通話を開始できません。運営者による対応が必要です。',
    en: 'The call cannot start because this demo is not set up correctly. We need to fix it.',
  },
  internal: {
    ja: 'システムに問題が発生したため、通話を開始できません。ご迷惑をおかけして申し訳ありません。',
    en: 'The call cannot start because something went wrong on our side.',
  },
};

/** @param waitSeconds the time to wait, used by the sentences that contain one */
export function sentence(code: ProblemCode, language: Language, waitSeconds = 0): string {
  return SENTENCES[code][language].replace(WAIT, inWords(waitSeconds, language));
}

const UNITS = [
  { seconds: 86_400, ja: '日', en: ['day', 'days'] },
  { seconds: 3_600, ja: '時間', en: ['hour', 'hours'] },
  { seconds: 60, ja: '分', en: ['minute', 'minutes'] },
  { seconds: 1, ja: '秒', en: ['second', 'seconds'] },
] as const;

/**
 * Rounded up, so that a visitor who waits this long is never too early. The unit is the largest one
 * of which there are at least two, or exactly one: 3600 s are "1 hour", and 3601 s are "61 minutes".
 */
function inWords(seconds: number, language: Language): string {
  const unit = UNITS.find((each) => seconds === each.seconds || seconds >= 2 * each.seconds) ?? UNITS[3];
  const count = Math.ceil(seconds / unit.seconds);
  if (language === 'ja') {
    return `${count}${unit.ja}`;
  }
  return `${count} ${count === 1 ? unit.en[0] : unit.en[1]}`;
}
