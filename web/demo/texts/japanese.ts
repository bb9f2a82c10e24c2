/** The page in Japanese. */
import type { Texts } from './texts.ts';

export const JAPANESE: Texts = {
  title: '音声デモ',
  footer: '無料でお使いいただけます。みなさまに行き渡るよう、回数に限りがあります。',
  plain: {
    idle: {
      headline: 'いつでもどうぞ',
      sentence: 'ボタンを押すと、AI と声で話せます。登録もインストールも要りません。',
    },
    'asking-for-microphone': {
      headline: 'マイクの許可をお願いします',
      sentence: 'ブラウザーの確認画面で、マイクの使用を許可してください。',
    },
    minting: { headline: 'お待ちください', sentence: '通話を予約しています。' },
    connecting: { headline: '接続しています', sentence: 'まもなくつながります。' },
    live: { headline: 'つながりました', sentence: 'そのままお話しください。途中で話しかけても大丈夫です。' },
    refused: { headline: '今はご利用になれません', sentence: '現在、通話の受付を停止しています。' },
    reopened: { headline: '再びご利用いただけます', sentence: 'お待たせしました。' },
    misconfigured: {
      headline: 'ページの準備ができていません',
      sentence: '一部を読み込めませんでした。再読み込みするか、後でもう一度お越しください。',
    },
  },
  reconnecting: {
    headline: '接続が切れました',
    sentence: {
      waiting: 'まもなく再接続します。このままお待ちください。',
      minting: '再接続の準備をしています。',
      connecting: '再接続しています。',
      offline: 'オフラインです。通信が戻ると、通話を再開します。',
      hidden: 'このページに戻ると、通話を再開します。',
    },
    attempt: (attempt, attempts) => `${attempts} 回中 ${attempt} 回目`,
  },
  failed: {
    'microphone-refused': {
      headline: 'マイクを使えません',
      sentence: 'ブラウザーの設定でこのページにマイクの使用を許可してから、もう一度お試しください。',
    },
    'microphone-absent': {
      headline: 'マイクが見つかりません',
      sentence: 'マイクを接続してから、もう一度お試しください。',
    },
    'microphone-unavailable': {
      headline: 'マイクを使えません',
      sentence: 'ほかのアプリが使用中かもしれません。そのアプリを閉じてから、もう一度お試しください。',
    },
    busy: {
      headline: '混み合っています',
      sentence: 'アクセスが集中しています。少し待ってから、もう一度お試しください。',
    },
    unavailable: {
      headline: 'うまくいきませんでした',
      sentence: 'サービスから応答がありません。通信状況を確認して、もう一度お試しください。',
    },
    'not-connected': {
      headline: 'つながりませんでした',
      sentence: 'お使いのネットワークでは音声通話ができない場合があります。もう一度試すか、別の回線でお試しください。',
    },
    lost: {
      headline: '通話が途切れました',
      sentence: '再接続できませんでした。通信状況が安定してから、もう一度お試しください。',
    },
  },
  ended: {
    'hung-up': { headline: '通話を終了しました', sentence: 'ご利用ありがとうございました。' },
    'time-is-up': { headline: '時間になりました', sentence: '1 回の通話時間の上限に達したため、終了しました。' },
    'session-expired': {
      headline: '時間になりました',
      sentence: '音声サービス側の時間の上限に達したため、終了しました。',
    },
    silence: { headline: '通話を終了しました', sentence: 'しばらく会話がなかったため、自動的に終了しました。' },
    hidden: {
      headline: '通話を終了しました',
      sentence: 'ページがしばらく表示されていなかったため、自動的に終了しました。',
    },
    'lost-in-silence': { headline: '通話を終了しました', sentence: '会話のない間に接続が切れたため、終了しました。' },
  },
  button: {
    call: '電話をかける',
    'call-again': 'もう一度かける',
    'try-again': 'もう一度試す',
    cancel: 'やめる',
    'hang-up': '電話を切る',
    reload: 'ページを再読み込み',
  },
  soundHeld: 'ブラウザーが音声の再生を止めています。画面をタップするか、キーを押すと聞こえます。',
  lastMinute: '残り時間は 1 分を切りました。',
  timeLeft: '残り',
  untilOpen: '次にかけられるまで',
  callsLeft: (calls) => (calls === 0 ? '今回の分で、いったん上限です' : `あと ${calls} 回`),
  callsLeftUntil: (calls, time) => (calls === 0 ? `次の通話は ${time} から` : `${time} まで、あと ${calls} 回`),
  visitor: 'あなた',
  model: 'AI',
  captions: '字幕',
  noCaptions: '会話の内容がここに表示されます。',
};
