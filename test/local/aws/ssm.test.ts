import { GetParameterCommand, ListCommandsCommand, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type SsmFailure, startSsm } from '../../../local/aws/ssm.ts';

const NAME = '/issuer/openai-api-key';
const VALUE = 'sk-proj-0123456789abcdef';
const NOW = Date.UTC(2026, 10, 30, 12);

async function start({ maxAttempts = 1 } = {}) {
  const ssm = await startSsm({ name: NAME, value: VALUE, now: () => NOW });
  const client = new SSMClient({
    endpoint: ssm.endpoint,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
    maxAttempts,
  });
  onTestFinished(async () => {
    client.destroy();
    await ssm.close();
  });
  const get = (Name = NAME, WithDecryption = true) => client.send(new GetParameterCommand({ Name, WithDecryption }));
  const put = (input: Partial<PutParameterCommand['input']>) =>
    client.send(new PutParameterCommand({ Name: NAME, Value: 'sk-new', ...input }));
  return { ssm, client, get, put };
}

describe('reading', () => {
  it('returns the decrypted value', async () => {
    const { get } = await start();
    expect((await get()).Parameter).toEqual({
      ARN: 'arn:aws:ssm:us-east-1:000000000000:parameter/issuer/openai-api-key',
      DataType: 'text',
      LastModifiedDate: new Date(NOW),
      Name: NAME,
      Type: 'SecureString',
      Value: VALUE,
      Version: 1,
    });
  });

  it.each([false, undefined])('returns a ciphertext if WithDecryption is %s', async (WithDecryption) => {
    const { client } = await start();
    const { Parameter } = await client.send(new GetParameterCommand({ Name: NAME, WithDecryption }));
    expect(Parameter?.Type).toBe('SecureString');
    expect(Parameter?.Value).toMatch(/^[A-Za-z0-9+/]{200}$/);
  });

  it.each(['/issuer/other', 'issuer/openai-api-key', `${NAME}/`, ''])('has no parameter %j', async (Name) => {
    const { get } = await start();
    await expect(get(Name)).rejects.toMatchObject({
      name: 'ParameterNotFound',
      $metadata: { httpStatusCode: 400, requestId: expect.any(String) },
    });
  });
});

describe('rotating', () => {
  it('overwrites the value and increases the version', async () => {
    const { get, put } = await start();
    expect(await put({ Overwrite: true, Type: 'SecureString' })).toMatchObject({ Version: 2, Tier: 'Standard' });
    expect(await put({ Overwrite: true, Value: 'sk-newer' })).toMatchObject({ Version: 3 });
    expect((await get()).Parameter).toMatchObject({ Value: 'sk-newer', Version: 3 });
  });

  it('changes the ciphertext', async () => {
    const { get, put } = await start();
    const before = await get(NAME, false);
    await put({ Overwrite: true, Value: VALUE });
    expect((await get(NAME, false)).Parameter?.Value).not.toBe(before.Parameter?.Value);
  });

  it.each([
    ['without Overwrite', {}, 'ParameterAlreadyExists'],
    ['another parameter', { Name: '/issuer/other', Overwrite: true }, 'AccessDeniedException'],
    ['another type', { Type: 'String', Overwrite: true }, 'HierarchyTypeMismatchException'],
    ['an empty value', { Value: '', Overwrite: true }, 'ValidationException'],
    ['a value too long for the standard tier', { Value: 'x'.repeat(4097), Overwrite: true }, 'ValidationException'],
  ] as const)('refuses %s', async (_, input, name) => {
    const { get, put } = await start();
    await expect(put(input)).rejects.toMatchObject({ name });
    expect((await get()).Parameter).toMatchObject({ Value: VALUE, Version: 1 });
  });
});

describe('the protocol', () => {
  it('supports no other operation', async () => {
    const { client } = await start();
    await expect(client.send(new ListCommandsCommand())).rejects.toMatchObject({ name: 'UnknownOperationException' });
  });

  const SIGNED = {
    authorization: `AWS4-HMAC-SHA256 Credential=any/20261130/eu-west-1/ssm/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`,
    'x-amz-date': '20261130T120000Z',
  };
  const OTHER_SERVICE = { ...SIGNED, authorization: SIGNED.authorization.replace('/ssm/', '/dynamodb/') };

  it.each<[string, Record<string, string>, string, string]>([
    ['no signature', {}, '{}', 'MissingAuthenticationTokenException'],
    ['a bearer token', { authorization: 'Bearer any' }, '{}', 'IncompleteSignatureException'],
    ['no date', { authorization: SIGNED.authorization }, '{}', 'IncompleteSignatureException'],
    ["another service's signature", OTHER_SERVICE, '{}', 'IncompleteSignatureException'],
    ['another content type', { ...SIGNED, 'content-type': 'text/plain' }, '{}', 'UnknownOperationException'],
    ['no JSON object', SIGNED, '[]', 'SerializationException'],
  ])('refuses a request with %s, and does not count it', async (_, headers, body, type) => {
    const { ssm } = await start();
    const response = await fetch(ssm.endpoint, {
      method: 'POST',
      headers: { 'x-amz-target': 'AmazonSSM.GetParameter', 'content-type': 'application/x-amz-json-1.1', ...headers },
      body,
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ __type: type });
    expect(ssm.getParameterCalls()).toBe(0);
  });
});

describe('failing', () => {
  const ERRORS = {
    throttled: ['ThrottlingException', 400],
    access_denied: ['AccessDeniedException', 400],
    invalid_key_id: ['InvalidKeyId', 400],
    server_error: ['InternalServerError', 500],
  } satisfies Record<Exclude<SsmFailure, 'hang'>, unknown>;

  it.each(Object.entries(ERRORS))('%s', async (mode, [name, httpStatusCode]) => {
    const { ssm, get } = await start();
    ssm.fail(mode as SsmFailure);
    await expect(get()).rejects.toMatchObject({ name, $metadata: { httpStatusCode } });
    ssm.fail('ok');
    expect((await get()).Parameter?.Value).toBe(VALUE);
  });

  it('hang: sends no response until it is closed', async () => {
    const { ssm, get } = await start();
    ssm.fail('hang');
    const outcome = expect(get()).rejects.toMatchObject({ code: 'ECONNRESET' });
    await vi.waitFor(() => expect(ssm.getParameterCalls()).toBe(1));
    await ssm.close();
    await outcome;
  });

  it('fails the given number of times, so that a client with retries succeeds', async () => {
    const { ssm, get } = await start({ maxAttempts: 2 });
    ssm.fail('throttled', 1);
    expect((await get()).Parameter?.Value).toBe(VALUE);
    expect(ssm.getParameterCalls()).toBe(2);
  });

  it('does not affect PutParameter', async () => {
    const { ssm, put } = await start();
    ssm.fail('access_denied');
    expect(await put({ Overwrite: true })).toMatchObject({ Version: 2 });
  });
});
