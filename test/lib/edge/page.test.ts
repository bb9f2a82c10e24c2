import { describe, expect, it } from 'vitest';
import { errorFrom, folderWith, PAGE_FOLDER, propertiesOf, templateOf } from '../synth.ts';

const template = templateOf({ page: PAGE_FOLDER });
const BUCKET = 'AWS::S3::Bucket';

describe("the page's bucket", () => {
  it('is private', () => {
    expect(propertiesOf(template, BUCKET).PublicAccessBlockConfiguration).toEqual({
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    });
  });

  it('can be read by the distribution, and not by the public', () => {
    const statements = propertiesOf(template, 'AWS::S3::BucketPolicy').PolicyDocument.Statement;
    const [distribution] = Object.keys(template.findResources('AWS::CloudFront::Distribution'));
    const allowing = statements.filter(({ Effect }: { Effect: string }) => Effect === 'Allow');
    const readers = allowing.filter(({ Action }: { Action: unknown }) => Action === 's3:GetObject');
    expect(JSON.stringify(allowing.map(({ Principal }: { Principal: unknown }) => Principal))).not.toContain('*');
    expect(readers).toHaveLength(1);
    expect(JSON.stringify(readers[0].Condition)).toContain(`":distribution/",{"Ref":"${distribution}"}`);
  });

  it('accepts only TLS', () => {
    const statements = propertiesOf(template, 'AWS::S3::BucketPolicy').PolicyDocument.Statement;
    expect(statements).toContainEqual(
      expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
    );
  });

  it('is emptied and deleted with the stack', () => {
    template.hasResource(BUCKET, { DeletionPolicy: 'Delete' });
    template.resourceCountIs('Custom::S3AutoDeleteObjects', 1);
  });
});

describe('the page', () => {
  it('is copied at each deployment, and revalidated by browsers and edge locations', () => {
    const copy = propertiesOf(template, 'Custom::CDKBucketDeployment');
    expect(copy.SystemMetadata).toEqual({ 'cache-control': 'no-cache' });
  });

  it('has its configuration beside it, unless the folder already contains one', () => {
    const sourcesFor = (page: string) =>
      propertiesOf(templateOf({ page }), 'Custom::CDKBucketDeployment').SourceObjectKeys;
    expect(sourcesFor(PAGE_FOLDER)).toHaveLength(2);
    expect(sourcesFor(folderWith('own-page', { 'index.html': '', 'config.json': '{}' }))).toHaveLength(1);
  });

  it('is served at the root, compressed, over https', () => {
    const { DistributionConfig } = propertiesOf(template, 'AWS::CloudFront::Distribution');
    expect(DistributionConfig.DefaultRootObject).toBe('index.html');
    expect(DistributionConfig.DefaultCacheBehavior).toMatchObject({
      Compress: true,
      ViewerProtocolPolicy: 'redirect-to-https',
    });
  });

  it('has no bucket if no page is served', () => {
    templateOf({ page: false }).resourceCountIs(BUCKET, 0);
  });

  it('is an error at synth if it was not built', () => {
    const page = folderWith('empty', {});
    expect(errorFrom({ page })).toBe(
      `page: ${page}/index.html does not exist. To build the demo page: npm run build. To serve no page, set it to false`,
    );
  });

  it("cannot be served by the user's own distribution", () => {
    expect(errorFrom({ page: PAGE_FOLDER, createDistribution: false })).toMatch(/^page: .* Set page to false$/);
  });
});
