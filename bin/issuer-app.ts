/** The CDK app that `cdk synth` and `cdk deploy` run: it makes one stack from the context and checks it with cdk-nag. */

import { App, type AppProps, Validations } from 'aws-cdk-lib';
import recommendedFlags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };
import { AwsSolutionsChecks } from 'cdk-nag';
import { propsFromContext } from '../lib/configuration/context.ts';
import { IssuerStack } from '../lib/issuer-stack.ts';

/**
 * @param props for tests; the CDK command line passes context and output folder in the environment
 * @throws ConfigurationError if the context is invalid
 */
export function issuerApp({ context, ...props }: AppProps = {}): App {
  const app = new App({ ...props, context: { ...recommendedFlags, ...context } });
  // A finding that is not acknowledged fails the synth. The acknowledgements are next to the resources, in lib/.
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  new IssuerStack(app, propsFromContext(app.node.getAllContext()));
  return app;
}
