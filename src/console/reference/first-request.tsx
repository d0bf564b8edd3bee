/** A first request, which changes nothing: as a command, and with a button that sends it. */
import { referenceTexts } from '../language/reference.ts';
import { Card } from '../parts/page.tsx';
import { CopyButton } from '../parts/secret.tsx';
import { linkTo } from '../shown-page.ts';
import type { Operation, Reference } from './document.ts';
import { curlOf } from './request.ts';
import { BriefTrial } from './trial.tsx';
import { useTrial } from './use-trial.ts';

/** The operation of the first request, and the one that the page suggests after it. */
const first = 'listCalls';
const next = 'createCall';

const Request = ({ operation, schemas }: { operation: Operation; schemas: Reference['schemas'] }) => {
  const t = referenceTexts.value;
  const trial = useTrial(operation, schemas);
  const command = `NUMBER_KEY='gw_live_…'\n${curlOf(operation, trial.form.values, location.origin)}`;
  return (
    <Card title={t.first.title} lead={t.first.lead} beside={<CopyButton read={() => command} />}>
      <pre tabIndex={0}>{command}</pre>
      <p class="hint">
        {t.first.key} <a href="/#/numbers">{t.first.numbers}</a>
      </p>
      <BriefTrial operation={operation} trial={trial} schemas={schemas} />
      <p class="next">
        <a href={linkTo(next)}>{t.first.next}</a>
      </p>
    </Card>
  );
};

export const FirstRequest = ({ reference: { operations, schemas } }: { reference: Reference }) => {
  const operation = operations.find(({ id }) => id === first);
  return operation === undefined ? null : <Request operation={operation} schemas={schemas} />;
};
