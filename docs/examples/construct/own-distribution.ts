import type { Stack } from 'aws-cdk-lib';
import { type BehaviorOptions, Distribution } from 'aws-cdk-lib/aws-cloudfront';
import { EphemeralKeyIssuer } from '../../../lib/ephemeral-key-issuer.ts';

export function addIssuer(stack: Stack, defaultBehavior: BehaviorOptions): EphemeralKeyIssuer {
  const issuer = new EphemeralKeyIssuer(stack, 'Issuer', { createDistribution: false });
  new Distribution(stack, 'Site', { defaultBehavior, additionalBehaviors: issuer.additionalBehaviors });
  return issuer;
}
