/**
 * The requests of the floors: all requests for a key (sent by the SDK's clients, or signed and sent by fetch), and the single write
 * of a decision.
 */

export function gateOf(TableName: string, viewer: string) {
  const Keys = [{ pk: { S: 'switch' } }, { pk: { S: `block#${viewer}` } }];
  return { RequestItems: { [TableName]: { Keys, ConsistentRead: true } } };
}

/** The conditional write that counts one call. */
export function reservationOf(TableName: string, key: string, limit: string) {
  return {
    TableName,
    Key: { pk: { S: key } },
    UpdateExpression: 'SET expires_at = :kept_until ADD cnt :one',
    ConditionExpression: 'attribute_not_exists(cnt) OR cnt < :limit',
    ExpressionAttributeValues: { ':one': { N: '1' }, ':limit': { N: limit }, ':kept_until': { N: '2000000000' } },
    ReturnValues: 'ALL_NEW',
  } as const;
}

export async function fetchClientSecret(baseUrl: string | undefined, apiKey: string | undefined) {
  const response = await fetch(`${baseUrl}/realtime/client_secrets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      expires_after: { anchor: 'created_at', seconds: 60 },
      session: { type: 'realtime', model: 'gpt-realtime-2.1-mini' },
    }),
  });
  return { statusCode: response.status, body: JSON.stringify(await response.json()) };
}
