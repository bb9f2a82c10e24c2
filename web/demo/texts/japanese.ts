/** The page in Japanese. */
import type { Texts } from './texts.ts';

export const JAPANESE: Texts = {
  title: '音声デモ',
  footer: '通話は無料です。多くの方にご利用いただけるよう、回数に上限があります。',
  privacy: '通話中の音声は、OpenAIに送信されます。',
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
    'webrtc-unsupported': {
      headline: 'このブラウザーでは通話できません',
      sentence: '音声通話の機能がないか、オフになっています。別のブラウザーでこのページを開いてください。',
    },
    'websocket-unsupported': {
      headline: 'このブラウザーでは通話できません',
      sentence: '通話に必要な機能がありません。別のブラウザーでこのページを開いてください。',
    },
    'microphone-insecure': {
      headline: 'このアドレスではマイクを使えません',
      sentence: 'マイクを使えるのは、安全な接続のページだけです。httpsで始まるアドレスで開いてください。',
    },
    'microphone-unsupported': {
      headline: 'このブラウザーではマイクを使えません',
      sentence: 'ウェブページでマイクを使う機能がありません。別のブラウザーでこのページを開いてください。',
    },
    'microphone-dismissed': {
      headline: 'マイクがまだ許可されていません',
      sentence: 'もう一度お試しになり、ブラウザーの確認画面で、マイクの使用を許可してください。',
    },
    'microphone-blocked': {
      headline: 'マイクがブロックされています',
      sentence: 'ブラウザーの設定で、このページにマイクの使用を許可してください。別のブラウザーで開くこともできます。',
    },
    'microphone-blocked-by-policy': {
      headline: 'このページではマイクを使えません',
      sentence: 'マイクの使用が許可されていません。別のページの中に表示されている場合は、新しいタブで開いてください。',
    },
    'microphone-blocked-by-system': {
      headline: '端末の設定でマイクがブロックされています',
      sentence: '端末のプライバシー設定で、ブラウザーにマイクの使用を許可してから、もう一度お試しください。',
    },
    'microphone-absent': {
      headline: 'マイクが見つかりません',
      sentence: 'マイクを接続するか、電源を入れてから、もう一度お試しください。',
    },
    'microphone-unavailable': {
      headline: 'マイクを使用できません',
      sentence: 'ほかのアプリが使用中かもしれません。閉じるか、マイクを接続し直してから、もう一度お試しください。',
    },
    'microphone-failed': {
      headline: 'マイクを起動できませんでした',
      sentence: 'もう一度お試しください。それでも使えない場合は、ブラウザーを再起動してください。',
    },
    'microphone-lost': {
      headline: 'マイクが使えなくなりました',
      sentence: 'マイクの接続が切れたか、使用の許可が取り消されました。ご確認のうえ、もう一度お試しください。',
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
  notice: {
    'sound-blocked': {
      headline: '音声が停止しています',
      sentence: '画面をタップするか、文字キーを押すと、AIの声が聞こえます。',
    },
    'sound-failed': {
      headline: '音声を再生できません',
      sentence: 'このブラウザーではAIの声が出ません。別のブラウザーでこのページを開いてください。',
    },
    'microphone-muted': {
      headline: 'マイクがミュート中です',
      sentence: '端末またはブラウザーがミュートしています。解除されるまで、AIに声が届きません。',
    },
  },
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
