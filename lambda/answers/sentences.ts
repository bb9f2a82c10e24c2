/**
 * What visitors read when they get no key: one sentence or two for each problem, in each language, fit to be shown as
 * they are. They say what happened and what to do, and nothing of how this is built.
 */
import type { ProblemCode } from '../../contract/problems.ts';
import type { Language } from './language.ts';

/** Stands for the time to wait, in words. */
const WAIT = '{wait}';

const SENTENCES: Record<ProblemCode, Record<Language, string>> = {
  rate_limited: {
    ja: `通話の回数が上限に達しました。${WAIT}後にもう一度お試しください。`,
    en: `You have used all your calls for now. You can call again in ${WAIT}.`,
  },
  budget_exhausted: {
    ja: `このデモの利用枠を使い切りました。${WAIT}後に再開します。`,
    en: `This demo has used up its calls for everybody. It opens again in ${WAIT}.`,
  },
  paused: {
    ja: 'このデモは現在停止中です。',
    en: 'This demo is paused at the moment.',
  },
  blocked: {
    ja: 'お使いの回線からの利用は、現在停止されています。',
    en: 'Calls from your connection are blocked at the moment.',
  },
  origin_not_allowed: {
    ja: 'このページからの通話は許可されていません。',
    en: 'Calls from this page are not allowed.',
  },
  viewer_unknown: {
    ja: '接続元を確認できないため、通話を開始できません。',
    en: 'The call cannot start because it is unclear where it comes from.',
  },
  not_found: { ja: 'この場所には何もありません。', en: 'There is nothing at this address.' },
  method_not_allowed: { ja: 'ここではPOSTだけが使えます。', en: 'Only POST is served here.' },
  body_not_allowed: { ja: 'リクエストの本文は空にしてください。', en: 'The request must have an empty body.' },
  idempotency_key_invalid: {
    ja: 'Idempotency-Keyは16〜128文字の表示可能なASCII文字にしてください。',
    en: 'Idempotency-Key must be 16 to 128 visible ASCII characters.',
  },
  replay_in_progress: {
    ja: '同じリクエストを処理中です。少し待ってからもう一度お試しください。',
    en: 'The same request is being served. Please try again in a moment.',
  },
  upstream_refused: {
    ja: '音声サービスの設定に問題があり、通話を開始できません。運営者が対応します。',
    en: 'The call cannot start because of a problem with our voice service. We have to mend it.',
  },
  upstream_unavailable: {
    ja: '音声サービスが混み合っています。少し待ってからもう一度お試しください。',
    en: 'The voice service is not available right now. Please try again in a moment.',
  },
  limiter_unavailable: {
    ja: '一時的に通話を開始できません。少し待ってからもう一度お試しください。',
    en: 'Calls cannot start right now. Please try again in a moment.',
  },
  misconfigured: {
    ja: 'このデモの設定に問題があり、通話を開始できません。運営者が対応します。',
    en: 'The call cannot start because this demo is not set up correctly. We have to mend it.',
  },
  internal: {
    ja: '問題が発生し、通話を開始できません。運営者が対応します。',
    en: 'The call cannot start because something went wrong on our side.',
  },
};

/** @param waitSeconds said by the sentences that name a time */
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
 * Rounded up, so that who comes back when told is not too early, and in the largest unit that does not round by more
 * than a half: 3600 s are "1 hour", and 3601 s are "61 minutes".
 */
function inWords(seconds: number, language: Language): string {
  const unit = UNITS.find((each) => seconds === each.seconds || seconds >= 2 * each.seconds) ?? UNITS[3];
  const count = Math.ceil(seconds / unit.seconds);
  if (language === 'ja') {
    return `${count}${unit.ja}`;
  }
  return `${count} ${count === 1 ? unit.en[0] : unit.en[1]}`;
}
