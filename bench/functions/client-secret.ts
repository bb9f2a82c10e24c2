/** The request to OpenAI as fetch sends it: the same in each floor, which differ in how they reach AWS. */
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
