/** Names for what people read in the console and in mails, where CloudFormation's own would end in a hash. */

import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** `EphemeralKeyIssuer-Issuer`: the stack's name and the way to the construct, of letters, digits and hyphens. */
export function readableName(scope: Construct): string {
  const stack = Stack.of(scope);
  const path = scope.node.path.slice(stack.node.path.length);
  return `${stack.stackName}${path.replaceAll(/[^A-Za-z0-9]+/g, '-')}`;
}
