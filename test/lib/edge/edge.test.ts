import { Template } from 'aws-cdk-lib/assertions';
import { Distribution } from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { describe, expect, it } from 'vitest';
import { FORWARDED_HEADERS, SESSION_PATH_PATTERN } from '../../../contract/endpoint.ts';
import { ORIGIN_TIMEOUT_MS } from '../../../contract/times.ts';
import { issuerIn, newStack, PAGE_FOLDER, propertiesOf, templateOf } from '../synth.ts';

const DISTRIBUTION = 'AWS::CloudFront::Distribution';
/** The id of AWS's managed policy that disables caching. */
const CACHING_DISABLED = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad';

const withPage = templateOf({ page: PAGE_FOLDER });
const config = propertiesOf(withPage, DISTRIBUTION).DistributionConfig;
const [session] = config.CacheBehaviors;

/** The issuer behind the user's own distribution. */
function behindOwnDistribution(): Template {
  const stack = newStack();
  const issuer = issuerIn(stack, { createDistribution: false });
  new Distribution(stack, 'Site', {
    defaultBehavior: { origin: new HttpOrigin('www.example.com') },
    additionalBehaviors: issuer.additionalBehaviors,
  });
  return Template.fromStack(stack);
}

describe('/session at the edge', () => {
  it('is the only path pattern that goes to the function, including paths with a mistyped ending', () => {
    expect(config.CacheBehaviors).toHaveLength(1);
    expect(session.PathPattern).toBe(SESSION_PATH_PATTERN);
  });

  it('is never cached', () => {
    expect(session.CachePolicyId).toBe(CACHING_DISABLED);
  });

  it('requires https and never redirects to it, because a POST would be sent twice', () => {
    expect(session.ViewerProtocolPolicy).toBe('https-only');
  });

  it('forwards every method, so that the function can respond with 405', () => {
    expect(session.AllowedMethods).toEqual(expect.arrayContaining(['POST', 'OPTIONS', 'GET', 'DELETE']));
  });
});

describe('a forwarded request', () => {
  const policy = propertiesOf(withPage, 'AWS::CloudFront::OriginRequestPolicy').OriginRequestPolicyConfig;

  const headers: string[] = policy.HeadersConfig.Headers;

  it('has the headers that contract/ lists, and no others', () => {
    expect(policy.HeadersConfig.HeaderBehavior).toBe('whitelist');
    expect(headers.map((header) => header.toLowerCase())).toEqual([...FORWARDED_HEADERS]);
  });

  it("has CloudFront's header with the visitor's address, in the spelling of AWS's documentation", () => {
    expect(headers).toContain('CloudFront-Viewer-Address');
  });

  it.each([
    ['host', 'breaks Function URLs'],
    ['x-forwarded-for', 'is under the control of the visitor'],
    ['authorization', 'is not allowed in a policy, because CloudFront puts its signature there'],
    ['accept-encoding', 'is not allowed in a policy'],
    ['x-amz-content-sha256', 'is not allowed in a policy, because CloudFront forwards it itself when it signs'],
  ])('never has %s, which %s', (header) => {
    expect(headers.map((name) => name.toLowerCase())).not.toContain(header);
  });

  it('has at most the ten headers that CloudFront allows', () => {
    expect(headers.length).toBeLessThanOrEqual(10);
  });

  it('has no cookie and no query string', () => {
    expect(policy.CookiesConfig).toEqual({ CookieBehavior: 'none' });
    expect(policy.QueryStringsConfig).toEqual({ QueryStringBehavior: 'none' });
  });
});

describe('the origin of the function', () => {
  it('always gets signed requests', () => {
    const controls = withPage.findResources('AWS::CloudFront::OriginAccessControl');
    const kinds = Object.values(controls).map(({ Properties }) => Properties.OriginAccessControlConfig);
    expect(kinds).toContainEqual(
      expect.objectContaining({
        OriginAccessControlOriginType: 'lambda',
        SigningBehavior: 'always',
        SigningProtocol: 'sigv4',
      }),
    );
  });

  it('has the timeout that contract/ defines', () => {
    const { CustomOriginConfig } = config.Origins.find(({ Id }: { Id: string }) => Id === session.TargetOriginId);
    expect(CustomOriginConfig.OriginReadTimeout).toBe(ORIGIN_TIMEOUT_MS / 1000);
    expect(CustomOriginConfig.OriginProtocolPolicy).toBe('https-only');
  });

  it.each([
    ['its own', withPage],
    ["the user's", behindOwnDistribution()],
  ])('may be invoked, with both permissions that Lambda requires, by %s distribution only', (_, template) => {
    const [distribution] = Object.keys(template.findResources(DISTRIBUTION));
    const permissions = Object.values(template.findResources('AWS::Lambda::Permission')).map((p) => p['Properties']);
    expect(permissions.map(({ Action }) => Action).sort()).toEqual([
      'lambda:InvokeFunction',
      'lambda:InvokeFunctionUrl',
    ]);
    for (const permission of permissions) {
      expect(permission.Principal).toBe('cloudfront.amazonaws.com');
      expect(JSON.stringify(permission.SourceArn)).toContain(`":distribution/",{"Ref":"${distribution}"}`);
    }
    expect(permissions.find(({ Action }) => Action === 'lambda:InvokeFunction')?.InvokedViaFunctionUrl).toBe(true);
  });
});

describe('errors', () => {
  it('are passed on unchanged: no page and no status replaces a refusal', () => {
    for (const response of config.CustomErrorResponses) {
      expect(Object.keys(response).sort()).toEqual(['ErrorCachingMinTTL', 'ErrorCode']);
    }
  });

  it('are not cached', () => {
    expect(config.CustomErrorResponses).toEqual(
      [500, 502, 503, 504].map((ErrorCode) => ({ ErrorCode, ErrorCachingMinTTL: 0 })),
    );
  });
});

describe('the distribution', () => {
  it('supports HTTP/2 and HTTP/3', () => {
    expect(config.HttpVersion).toBe('http2and3');
  });

  it('forwards every path to the function if there is no page', () => {
    const alone = propertiesOf(templateOf({ page: false }), DISTRIBUTION).DistributionConfig;
    expect(alone).not.toHaveProperty('CacheBehaviors');
    expect(alone.DefaultCacheBehavior).toMatchObject({
      CachePolicyId: CACHING_DISABLED,
      ViewerProtocolPolicy: 'https-only',
    });
  });

  it('is not created if the user has one', () => {
    templateOf({ createDistribution: false }).resourceCountIs(DISTRIBUTION, 0);
  });
});
