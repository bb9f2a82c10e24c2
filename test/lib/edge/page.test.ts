import { describe, expect, it } from 'vitest';
import { complaintAbout, folderWith, PAGE_FOLDER, propertiesOf, templateOf } from '../synth.ts';

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

  it('is read by the distribution, and by nobody at large', () => {
    const statements = propertiesOf(template, 'AWS::S3::BucketPolicy').PolicyDocument.Statement;
    const [distribution] = Object.keys(template.findResources('AWS::CloudFront::Distribution'));
    const allowing = statements.filter(({ Effect }: { Effect: string }) => Effect === 'Allow');
    const readers = allowing.filter(({ Action }: { Action: unknown }) => Action === 's3:GetObject');
    expect(JSON.stringify(allowing.map(({ Principal }: { Principal: unknown }) => Principal))).not.toContain('*');
    expect(readers).toHaveLength(1);
    expect(JSON.stringify(readers[0].Condition)).toContain(`":distribution/",{"Ref":"${distribution}"}`);
  });

  it('is reached over TLS only', () => {
    const statements = propertiesOf(template, 'AWS::S3::BucketPolicy').PolicyDocument.Statement;
    expect(statements).toContainEqual(
      expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
    );
  });

  it('goes with the stack, emptied first', () => {
    template.hasResource(BUCKET, { DeletionPolicy: 'Delete' });
    template.resourceCountIs('Custom::S3AutoDeleteObjects', 1);
  });
});

describe('the page', () => {
  it('is copied with the stack, and asked for anew by browsers and edges', () => {
    const copy = propertiesOf(template, 'Custom::CDKBucketDeployment');
    expect(copy.SystemMetadata).toEqual({ 'cache-control': 'no-cache' });
  });

  it('has its configuration beside it, unless its folder has its own', () => {
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

  it('brings no bucket when there is none', () => {
    templateOf({ page: false }).resourceCountIs(BUCKET, 0);
  });

  it('must have been built', () => {
    const page = folderWith('empty', {});
    expect(complaintAbout({ page })).toBe(
      `page: there is no ${page}/index.html. Make the demo page: npm run build; or have none: false`,
    );
  });

  it("cannot be served by the user's own distribution", () => {
    expect(complaintAbout({ page: PAGE_FOLDER, createDistribution: false })).toMatch(/^page: .* A right value: false$/);
  });
});
