/** What cdk.json runs. A wrong context is answered with sentences, not with a stack trace. */

import { ConfigurationError } from '../contract/configuration.ts';
import { issuerApp } from './issuer-app.ts';

try {
  issuerApp();
} catch (error) {
  if (!(error instanceof ConfigurationError)) {
    throw error;
  }
  console.error(error.message);
  // At once: an app that is left standing would be synthesised as far as it got.
  process.exit(1);
}
