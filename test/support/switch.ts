/** Sets the kill switch to the initial state of a test. The program itself changes it only with `pause` and `resume`. */
import { SWITCH_KEY, type Switch } from '../../lambda/gate/kill-switch.ts';
import { put, type Table } from '../../limiter/index.ts';

export async function writeSwitch(table: Table, state: Switch): Promise<void> {
  const { since, by, message } = { since: undefined, by: undefined, message: undefined, ...state };
  await put(table, {
    pk: { S: SWITCH_KEY },
    paused: { BOOL: state.paused },
    ...(since === undefined ? {} : { since: { N: String(since) } }),
    ...(by === undefined ? {} : { by: { S: by } }),
    ...(message?.ja === undefined ? {} : { message_ja: { S: message.ja } }),
    ...(message?.en === undefined ? {} : { message_en: { S: message.en } }),
  });
}
