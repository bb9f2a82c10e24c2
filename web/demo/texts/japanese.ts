/** The page in Japanese. */
import type { Texts } from './texts.ts';

export const JAPANESE: Texts = {
  title: '音声デモ',
  footer: '通話は無料です。多くの方にご利用いただけるよう、回数に上限があります。',
  plain: {
    idle: {
      headline: 'いつでもどうぞ',
      sentence: 'ボタンを押すと、AIと声で会話できます。登録もインストールも不要です。',
    },
    'asking-for-microphone': {
      headline: 'マイクを確認しています',
      sentence: 'ブラウザーの確認画面で、マイクの使用を許可してください。',
    },
    minting: { headline: '少々お待ちください', sentence: '通話の準備をしています。' },
    connecting: { headline: '接続しています', sentence: 'まもなくつながります。' },
    live: { headline: 'つながりました', sentence: 'そのままお話しください。AIが話している途中でも話しかけられます。' },
    refused: { headline: '現在ご利用いただけません', sentence: '現在、通話の受付を停止しています。' },
    reopened: { headline: '再びご利用いただけます', sentence: 'お待たせしました。' },
    misconfigured: {
      headline: 'ページの準備ができていません',
      sentence: '一部を読み込めませんでした。再読み込みするか、しばらくしてから、もう一度お試しください。',
    },
  },
  reconnecting: {
    headline: '接続が切れました',
    sentence: {
      waiting: 'まもなく再接続します。このままお待ちください。',
      minting: '再接続の準備をしています。',
      connecting: '再接続しています。',
      offline: 'オフラインです。インターネットに接続されると、通話を再開します。',
      hidden: 'このページに戻ると、通話を再開します。',
    },
    attempt: (attempt, attempts) => `再接続：${attempt}回目（最大${attempts}回）`,
  },
  failed: {
    'microphone-refused': {
      headline: 'マイクが許可されていません',
      sentence: 'ブラウザーの設定で、このページにマイクの使用を許可してから、もう一度お試しください。',
    },
    'microphone-absent': {
      headline: 'マイクが見つかりません',
      sentence: 'マイクを接続してから、もう一度お試しください。',
    },
    'microphone-unavailable': {
      headline: 'マイクを使用できません',
      sentence: 'ほかのアプリが使用中かもしれません。そのアプリを閉じてから、もう一度お試しください。',
    },
    busy: {
      headline: 'ただいま混み合っています',
      sentence: 'しばらくしてから、もう一度お試しください。',
    },
    unavailable: {
      headline: '問題が発生しました',
      sentence: 'サービスから応答がありません。通信状況を確認してから、もう一度お試しください。',
    },
    'not-connected': {
      headline: 'つながりませんでした',
      sentence:
        'お使いのネットワークでは、通話できない可能性があります。もう一度試すか、別のネットワークをお使いください。',
    },
    lost: {
      headline: '通話が途切れました',
      sentence: '再接続できませんでした。通信状況が安定してから、もう一度お試しください。',
    },
  },
  ended: {
    'hung-up': { headline: '通話を終了しました', sentence: 'ご利用ありがとうございました。' },
    'time-is-up': {
      headline: '時間になりました',
      sentence: '通話時間が1回あたりの上限に達したため、自動的に終了しました。',
    },
    'session-expired': {
      headline: '時間になりました',
      sentence: '音声サービスの利用時間の上限に達したため、自動的に終了しました。',
    },
    silence: { headline: '通話を終了しました', sentence: 'しばらく会話がなかったため、自動的に終了しました。' },
    hidden: {
      headline: '通話を終了しました',
      sentence: 'ページがしばらく表示されていなかったため、自動的に終了しました。',
    },
    'lost-in-silence': {
      headline: '通話を終了しました',
      sentence: '会話のない間に接続が切れたため、自動的に終了しました。',
    },
  },
  button: {
    call: '通話を始める',
    'call-again': 'もう一度通話する',
    'try-again': 'もう一度試す',
    cancel: 'キャンセル',
    'hang-up': '通話を終える',
    reload: 'ページを再読み込み',
  },
  soundBlocked: 'ブラウザーが音声を止めています。画面をタップするか、キーを押すと、AIの声が聞こえます。',
  lastMinute: '残り時間が1分を切りました。',
  timeLeft: '残り',
  untilOpen: '次に通話できるまで',
  callsLeft: (calls) => (calls === 0 ? '今回で通話回数の上限に達しました' : `残り${calls}回`),
  callsLeftUntil: (calls, time) => (calls === 0 ? `次に通話できるのは${time}以降です` : `${time}まで：残り${calls}回`),
  visitor: 'あなた',
  model: 'AI',
  captions: '会話の字幕',
  noCaptions: '会話の内容がここに表示されます。',
};
