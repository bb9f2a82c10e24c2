/**
 * Checks the certificate of a custom domain before a deployment fails because of it: it must exist in us-east-1, cover the name, and
 * be issued and not expired.
 */
import {
  type ACMClient,
  type CertificateDetail,
  DescribeCertificateCommand,
  type ResourceRecord,
} from '@aws-sdk/client-acm';
import { sentenceFor } from '../operator-error.ts';
import { type Advice, type Finding, fail, note, pass } from '../output/finding.ts';
import type { CustomDomain } from '../stack/project.ts';

/** CloudFront takes certificates from this region only, wherever the stack is. */
export const CERTIFICATE_REGION = 'us-east-1';

const MEANING = 'The deployment would fail at the distribution.';

/** @param now epoch milliseconds */
export async function checkCertificate(acm: ACMClient, domain: CustomDomain, now: number): Promise<Finding> {
  const { certificateArn: arn } = domain;
  if (arn.split(':')[3] !== CERTIFICATE_REGION) {
    return fail(`The certificate ${arn} is not in ${CERTIFICATE_REGION}.`, {
      meaning: `${MEANING} CloudFront takes certificates from that region only, wherever the stack is.`,
      ...requestNew(domain),
    });
  }
  try {
    const { Certificate } = await acm.send(new DescribeCertificateCommand({ CertificateArn: arn }));
    return judge(Certificate ?? {}, domain, now);
  } catch (error) {
    return MISSING.has(error instanceof Error ? error.name : '')
      ? fail(`There is no certificate ${arn} in this account.`, {
          meaning: MEANING,
          mend: 'List your certificates with the first command, or request one with the second. Set its ARN as certificateArn in cdk.json.',
          commands: [`aws acm list-certificates --region ${CERTIFICATE_REGION}`, ...requestNew(domain).commands],
        })
      : note(`Could not check the certificate ${arn}: ${sentenceFor(error)}`);
  }
}

const MISSING = new Set(['ResourceNotFoundException', 'InvalidArnException']);

/** Checks the names first: a certificate for another name need not be validated. */
function judge(certificate: CertificateDetail, domain: CustomDomain, now: number): Finding {
  const { Status: status, SubjectAlternativeNames: names = [] } = certificate;
  const { domainName } = domain;
  if (!names.some((name) => covers(name, domainName))) {
    return fail(`The certificate covers ${names.join(', ') || 'no name'}, but not ${domainName}.`, {
      meaning: `${MEANING} A wildcard covers one label: *.example.com covers demo.example.com, but neither example.com nor a.demo.example.com.`,
      ...requestNew(domain),
    });
  }
  return status === 'PENDING_VALIDATION'
    ? fail(`The certificate for ${domainName} is not issued: AWS waits for the proof that the name is yours.`, {
        meaning: MEANING,
        ...validate(certificate, domain),
      })
    : judgeStatus(certificate, domain, now);
}

function judgeStatus(certificate: CertificateDetail, domain: CustomDomain, now: number): Finding {
  const { Status: status = 'UNKNOWN', NotAfter: end, FailureReason, RevocationReason } = certificate;
  const { domainName } = domain;
  if (status === 'EXPIRED' || (end !== undefined && end.getTime() <= now)) {
    return fail(`The certificate for ${domainName} expired${end === undefined ? '' : ` on ${dateOf(end)}`}.`, {
      meaning: `${MEANING} On a site that is already deployed, browsers show a warning instead of the page.`,
      ...(certificate.Type === 'IMPORTED' ? importAgain(domain) : requestNew(domain)),
    });
  }
  if (status !== 'ISSUED') {
    const reason = FailureReason ?? RevocationReason;
    const seen = reason === undefined ? status : `${status} (${reason})`;
    return fail(`The certificate for ${domainName} has the status ${seen}, and must be ISSUED.`, {
      meaning: MEANING,
      ...requestNew(domain),
    });
  }
  return pass(
    `The certificate covers ${domainName} and is issued${end === undefined ? '' : `, valid until ${dateOf(end)}`}.`,
  );
}

/** A wildcard stands for exactly one label (RFC 6125, 6.4.3). */
function covers(name: string, domainName: string): boolean {
  const pattern = name.toLowerCase();
  return pattern.startsWith('*.') ? domainName.replace(/^[^.]+/, '*') === pattern : domainName === pattern;
}

type Fix = Pick<Advice, 'mend'> & { readonly commands: readonly string[] };

function requestNew({ domainName }: CustomDomain): Fix {
  return {
    mend: 'Request a certificate, set its ARN as certificateArn in cdk.json, and run the doctor again:',
    commands: [
      `aws acm request-certificate --region ${CERTIFICATE_REGION} --validation-method DNS --domain-name ${domainName}`,
    ],
  };
}

function importAgain({ certificateArn }: CustomDomain): Fix {
  return {
    mend: 'AWS does not renew imported certificates. Renew it where it was issued, and import it under the same ARN:',
    commands: [
      `aws acm import-certificate --region ${CERTIFICATE_REGION} --certificate-arn ${certificateArn} --certificate fileb://certificate.pem --private-key fileb://key.pem --certificate-chain fileb://chain.pem`,
    ],
  };
}

/** The proof is a CNAME, or a link in a message to the owner of the domain. */
function validate({ DomainValidationOptions: options = [] }: CertificateDetail, domain: CustomDomain): Fix {
  const { certificateArn, hostedZone } = domain;
  const wait = `aws acm wait certificate-validated --region ${CERTIFICATE_REGION} --certificate-arn ${certificateArn}`;
  const open = options.filter(({ ValidationStatus }) => ValidationStatus !== 'SUCCESS');
  const records = open.flatMap(({ ResourceRecord: record }) => (record === undefined ? [] : [record]));
  if (records.length > 0) {
    const wanted = records.map(({ Name, Type, Value }) => `${Name} ${Type} ${Value}`).join(' and ');
    const inZone = records.filter(({ Name }) => Name?.endsWith(`.${hostedZone?.name}.`));
    return {
      mend: `Set this DNS record: ${wanted} (keep it, because AWS needs it for each renewal). Then wait until the certificate is issued, usually some minutes:`,
      commands: [...inZone.map((record) => setRecord(record, hostedZone?.id ?? '')), wait],
    };
  }
  if (open.some(({ ValidationMethod }) => ValidationMethod === 'EMAIL')) {
    const addresses = open.flatMap(({ ValidationEmails = [] }) => ValidationEmails);
    return {
      mend: `Open the link in the message that AWS sent to ${addresses.join(', ')}. Then wait until the certificate is issued:`,
      commands: [wait],
    };
  }
  return { mend: 'AWS has not created the validation record yet. Run the doctor again in a minute.', commands: [] };
}

function setRecord({ Name, Type, Value }: ResourceRecord, zoneId: string): string {
  const ResourceRecordSet = { Name, Type, TTL: 300, ResourceRecords: [{ Value }] };
  const batch = JSON.stringify({ Changes: [{ Action: 'UPSERT', ResourceRecordSet }] });
  return `aws route53 change-resource-record-sets --hosted-zone-id ${zoneId} --change-batch '${batch}'`;
}

function dateOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
