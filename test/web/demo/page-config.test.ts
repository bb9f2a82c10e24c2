import { describe, expect, it } from 'vitest';
import { pageConfigOf } from '../../../web/demo/page-config.ts';

describe('the page’s configuration', () => {
  it('contains OpenAI’s address', () => {
    expect(pageConfigOf('{"openaiBaseUrl":"http://127.0.0.1:1/v1","more":1}')).toEqual({
      openaiBaseUrl: 'http://127.0.0.1:1/v1',
    });
  });

  it.each([
    '',
    '<!doctype html>',
    'null',
    '{}',
    '{"openaiBaseUrl":null}',
    '{"openaiBaseUrl":"openai.com"}',
    '{"openaiBaseUrl":"javascript:0"}',
  ])('is rejected if it is %j', (text) => {
    expect(() => pageConfigOf(text)).toThrow();
  });
});
