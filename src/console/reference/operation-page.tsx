/** One operation: description, parameters, responses and a form to try it. */
import { referenceTexts } from '../language/reference.ts';
import { Card, Page } from '../parts/page.tsx';
import { Pill } from '../parts/pill.tsx';
import { CopyButton } from '../parts/secret.tsx';
import { linkTo } from '../shown-page.ts';
import type { Answer, ApiRefusal, Operation, Reference } from './document.ts';
import { FieldItem, Fields } from './fields.tsx';
import { Prose, Words } from './prose.tsx';
import { curlOf } from './request.ts';
import { Trial } from './trial.tsx';
import { useTrial } from './use-trial.ts';

type Schemas = Reference['schemas'];

const Example = ({ of }: { of: unknown }) =>
  of === undefined ? null : (
    <details>
      <summary>{referenceTexts.value.example}</summary>
      <pre tabIndex={0}>{typeof of === 'string' ? of : JSON.stringify(of, null, 2)}</pre>
    </details>
  );

const AnswerItem = ({
  answer: { status, description, media, schema, example },
  schemas,
}: {
  answer: Answer;
  schemas: Schemas;
}) => (
  <section class="answer">
    <h3>
      {status} {media !== null && <code>{media}</code>}
    </h3>
    <p>
      <Words text={description} /> {media === null && referenceTexts.value.noBody}
    </p>
    <Fields schema={schema} schemas={schemas} isAnswer />
    <Example of={example} />
  </section>
);

const Errors = ({ refusals }: { refusals: readonly ApiRefusal[] }) => {
  const t = referenceTexts.value;
  return (
    <Card title={t.errors} lead={t.errorsLead}>
      <ul class="refusals">
        {refusals.map(({ code, status, title }) => (
          <li key={code}>
            <span class="digits">{status}</span>
            <code>{code}</code>
            <Words text={title} />
          </li>
        ))}
      </ul>
    </Card>
  );
};

/** Required authentication. */
const Who = ({ operation: { auth, isForAdmins } }: { operation: Operation }) => {
  const t = referenceTexts.value;
  return (
    <>
      <Pill tone={auth === 'none' ? 'calm' : 'fine'}>{t.auth[auth]}</Pill>
      {isForAdmins && <Pill tone="warn">{t.admins}</Pill>}
    </>
  );
};

const Taken = ({ operation: { parameters, body }, schemas }: { operation: Operation; schemas: Schemas }) => {
  const t = referenceTexts.value;
  return (
    <>
      {parameters.length > 0 && (
        <Card title={t.parameters}>
          <ul class="fields-of">
            {parameters.map(({ in: place, name, required, description, schema }) => (
              <FieldItem
                key={`${place}.${name}`}
                name={name}
                place={t.places[place]}
                isRequired={required === true}
                description={description}
                schema={schema}
                schemas={schemas}
              />
            ))}
          </ul>
        </Card>
      )}
      {body !== null && (
        <Card title={t.body} {...(body.isRequired ? {} : { lead: t.bodyOptional })}>
          <Fields schema={body.schema} schemas={schemas} />
          <Example of={body.example} />
        </Card>
      )}
    </>
  );
};

export const OperationPage = ({ operation, schemas }: { operation: Operation; schemas: Schemas }) => {
  const t = referenceTexts.value;
  const { method, path, summary, description, auth, answers, refusals } = operation;
  const trial = useTrial(operation, schemas);
  const command = curlOf(operation, trial.form.values, location.origin);
  return (
    <Page
      title={<Words text={summary} />}
      back={{ to: linkTo(), label: t.everything }}
      beside={<Who operation={operation} />}
    >
      <p class="address">
        <code>
          <span class={`method ${method}`}>{method}</span> {path}
        </code>
      </p>
      <div class="description">
        <Prose text={description} />
      </div>
      <Taken operation={operation} schemas={schemas} />
      <Card
        title={t.command}
        lead={auth === 'none' ? t.commandOpen : t.commandLead}
        beside={<CopyButton read={() => command} />}
      >
        <pre tabIndex={0}>{command}</pre>
      </Card>
      <Trial operation={operation} trial={trial} schemas={schemas} />
      <Card title={t.answers}>
        {answers.map((answer) => (
          <AnswerItem key={answer.status + answer.media} answer={answer} schemas={schemas} />
        ))}
      </Card>
      <Errors refusals={refusals} />
    </Page>
  );
};
