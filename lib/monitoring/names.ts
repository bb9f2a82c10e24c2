/** Readable names for the console and for mails. The names that CloudFormation generates end in a hash. */

import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** `EphemeralKeyIssuer-Issuer`: the stack's name and the construct's path, in letters, digits and hyphens. */
export function readableName(scope: Construct): string {
  const stack = Stack.of(scope);
  const path = scope.node.path.slice(stack.node.path.length);
  return `${stack.stackName}${path.replaceAll(/[^A-Za-z0-9]+/g, '-')}`;
}
