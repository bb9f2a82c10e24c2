import { SSMClient } from '@aws-sdk/client-ssm';
import { describe, expect, it } from 'vitest';
import { createApiKey, type KeyReading } from '../../../lambda/openai/api-key.ts';
import { type AwsAnswer, awsError, scriptedAws } from '../../support/scripted-aws.ts';

const PARAMETER = '/issuer/openai-api-key';
const THROTTLED = awsError(400, 'ThrottlingException');
const NOT_FOUND = awsError(400, 'ParameterNotFound');

function holding(value: string): AwsAnswer {
  return { status: 200, body: { Parameter: { Name: PARAMETER, Type: 'SecureString', Value: value } } };
}

/** An API key under test, its requests to SSM, and its clock. */
function apiKeyOver(...script: [AwsAnswer, ...AwsAnswer[]]) {
  const { config, requests } = scriptedAws(...script);
  const clock = { now: Date.UTC(2026, 10, 30) };
  const apiKey = createApiKey(new SSMClient(config), PARAMETER, () => clock.now);
  return { apiKey, requests, clock };
}

function read(apiKey: string): KeyReading {
  return { outcome: 'read', apiKey };
}

describe('reading', () => {
  it('requests the decrypted parameter', async () => {
    const { apiKey, requests } = apiKeyOver(holding('sk-one'));
    expect(await apiKey.read()).toEqual(read('sk-one'));
    expect(requests).toEqual([{ Name: PARAMETER, WithDecryption: true }]);
  });

  it('sends one request, and then uses the cached key', async () => {
    const { apiKey, requests, clock } = apiKeyOver(holding('sk-one'), holding('sk-two'));
    await apiKey.read();
    clock.now += 365 * 86_400_000;
    expect(await apiKey.read()).toEqual(read('sk-one'));
    expect(requests).toHaveLength(1);
  });

  it('sends one request for a hundred concurrent reads', async () => {
    const { apiKey, requests } = apiKeyOver(holding('sk-one'), holding('sk-two'));
    const readings = await Promise.all(Array.from({ length: 100 }, () => apiKey.read()));
    expect(new Set(readings.map((reading) => JSON.stringify(reading))).size).toBe(1);
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['a failure', THROTTLED],
    ['a missing parameter', NOT_FOUND],
    ['an invalid value', holding('')],
  ])('does not cache %s', async (_, failure) => {
    const { apiKey, requests } = apiKeyOver(failure, holding('sk-one'));
    expect(await apiKey.read()).not.toMatchObject({ outcome: 'read' });
    expect(await apiKey.read()).toEqual(read('sk-one'));
    expect(requests).toHaveLength(2);
  });
});

describe('the value', () => {
  it.each(['sk-one', 'sk-one\n', '  sk-one\t\r\n', '\uFEFFsk-one'])('%j is the key sk-one', async (value) => {
    const { apiKey } = apiKeyOver(holding(value));
    expect(await apiKey.read()).toEqual(read('sk-one'));
  });

  it.each([
    ['empty', ''],
    ['blank', ' \n\t'],
    ['of two lines', 'sk-secret\nsk-secret'],
    ['of two lines, Windows style', 'sk-secret\r\nx-injected: secret'],
    ['of two words', 'Bearer sk-secret'],
    ['with NUL', 'sk-secret\0'],
    ['outside ASCII', 'sk-secret-é'],
    ['with a zero-width space', 'sk-\u200Bsecret'],
  ])('that is %s is rejected, and not shown', async (_, value) => {
    const { apiKey } = apiKeyOver(holding(value));
    const reading = await apiKey.read();
    expect(reading).toMatchObject({ outcome: 'key_misconfigured', reason: expect.stringContaining(PARAMETER) });
    expect(JSON.stringify(reading)).not.toContain('secret');
  });

  it.each([{ Parameter: {} }, { Parameter: { Value: null } }])('that is missing is rejected: %j', async (body) => {
    const { apiKey } = apiKeyOver({ status: 200, body });
    expect(await apiKey.read()).toMatchObject({ outcome: 'key_misconfigured' });
  });
});

describe('a failure', () => {
  it.each([
    [400, 'ParameterNotFound'],
    [400, 'ParameterVersionNotFound'],
    [400, 'InvalidKeyId'],
    [400, 'AccessDeniedException'],
    [400, 'ValidationException'],
    [400, 'UnrecognizedClientException'],
    [400, 'InvalidSignatureException'],
    [400, 'ExpiredTokenException'],
  ])('%i %s has to be fixed by the owner', async (status, type) => {
    const { apiKey } = apiKeyOver(awsError(status, type));
    const reason = `Cannot read the SSM parameter ${PARAMETER}: ${type}: said by AWS`;
    expect(await apiKey.read()).toEqual({ outcome: 'key_misconfigured', reason });
  });

  it.each([
    [400, 'ThrottlingException'],
    [400, 'RequestLimitExceeded'],
    [500, 'InternalServerError'],
    [503, 'ServiceUnavailable'],
  ])('%i %s may go away by itself', async (status, type) => {
    const { apiKey } = apiKeyOver(awsError(status, type));
    const reason = `Cannot read the SSM parameter ${PARAMETER}: ${type}: said by AWS`;
    expect(await apiKey.read()).toEqual({ outcome: 'key_unavailable', reason });
  });

  it.each([
    ['a timeout', Object.assign(new Error('timed out'), { name: 'TimeoutError' })],
    ['a refused connection', Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })],
  ])('of the connection may go away by itself: %s', async (_, error) => {
    const { apiKey } = apiKeyOver({ fails: error });
    expect(await apiKey.read()).toMatchObject({ outcome: 'key_unavailable' });
  });

  it.each([{}, { __type: 'InternalServerError', message: 'said by AWS' }])(
    'that came with status 200 may go away by itself: %j',
    async (body) => {
      const { apiKey } = apiKeyOver({ status: 200, body });
      expect(await apiKey.read()).toMatchObject({ outcome: 'key_unavailable' });
    },
  );

  it('caused by missing credentials has to be fixed by the owner', async () => {
    const none = Object.assign(new Error('none found'), { name: 'CredentialsProviderError' });
    const { config, requests } = scriptedAws(holding('sk-one'));
    const client = new SSMClient({ ...config, credentials: () => Promise.reject(none) });
    expect(await createApiKey(client, PARAMETER, Date.now).read()).toMatchObject({ outcome: 'key_misconfigured' });
    expect(requests).toEqual([]);
  });
});

describe('after OpenAI rejected the key', () => {
  it('reads the parameter again, and every caller gets the new value', async () => {
    const { apiKey, requests } = apiKeyOver(holding('sk-old'), holding('sk-new'));
    await apiKey.read();
    expect(await apiKey.readAfterRejection('sk-old')).toEqual(read('sk-new'));
    expect(await apiKey.read()).toEqual(read('sk-new'));
    expect(requests).toHaveLength(2);
  });

  it('sends one request for a hundred concurrent callers, and each gets the new key', async () => {
    const { apiKey, requests } = apiKeyOver(holding('sk-old'), holding('sk-new'));
    await apiKey.read();
    const readings = await Promise.all(Array.from({ length: 100 }, () => apiKey.readAfterRejection('sk-old')));
    expect(readings).toEqual(Array.from({ length: 100 }, () => read('sk-new')));
    expect(requests).toHaveLength(2);
  });

  it('uses a newer key from the cache, without a request', async () => {
    const { apiKey, requests, clock } = apiKeyOver(holding('sk-old'), holding('sk-new'));
    await apiKey.read();
    await apiKey.readAfterRejection('sk-old');
    clock.now += 3_600_000;
    expect(await apiKey.readAfterRejection('sk-old')).toEqual(read('sk-new'));
    expect(requests).toHaveLength(2);
  });

  it('reads the parameter at most once in 30 s', async () => {
    const { apiKey, requests, clock } = apiKeyOver(holding('sk-old'));
    await apiKey.read();
    await apiKey.readAfterRejection('sk-old');
    expect(requests).toHaveLength(2);

    clock.now += 29_999;
    expect(await apiKey.readAfterRejection('sk-old')).toEqual(read('sk-old'));
    expect(requests).toHaveLength(2);

    clock.now += 1;
    await apiKey.readAfterRejection('sk-old');
    expect(requests).toHaveLength(3);
  });

  it('returns the failure of a read, and keeps the cached key', async () => {
    const { apiKey, requests } = apiKeyOver(holding('sk-old'), THROTTLED);
    await apiKey.read();
    expect(await apiKey.readAfterRejection('sk-old')).toMatchObject({ outcome: 'key_unavailable' });
    expect(await apiKey.read()).toEqual(read('sk-old'));
    expect(requests).toHaveLength(2);
  });
});
