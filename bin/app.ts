/** The entry point in cdk.json. An invalid context ends with error messages and no stack trace. */

import { ConfigurationError } from '../contract/configuration.ts';
import { issuerApp } from './issuer-app.ts';

try {
  issuerApp();
} catch (error) {
  if (!(error instanceof ConfigurationError)) {
    throw error;
  }
  console.error(error.message);
  // Not process.exitCode: the CDK would synthesise the incomplete app.
  process.exit(1);
}
