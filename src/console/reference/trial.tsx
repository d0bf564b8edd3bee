/** Form to try an operation, for authorized users, with the gateway's response. */
import { referenceTexts } from '../language/reference.ts';
import { AreaField, FormBody, SelectField, TextField } from '../parts/field.tsx';
import { Card } from '../parts/page.tsx';
import { Pill, type Tone } from '../parts/pill.tsx';
import { saveFile } from '../parts/save-file.ts';
import { admin, mayChange } from '../session.ts';
import { resolved, type Operation, type Parameter, type Reference } from './document.ts';
import { acceptField, bodyField, fieldOf, keyField, mediaOf, numberField, pasted } from './request.ts';
import type { OperationTrial, TrialAnswer } from './use-trial.ts';

type Schemas = Reference['schemas'];

const ParameterField = ({
  parameter,
  trial: { form },
  schemas,
}: {
  parameter: Parameter;
  trial: OperationTrial;
  schemas: Schemas;
}) => {
  const schema = resolved(parameter.schema, schemas);
  const field = {
    form,
    name: fieldOf(parameter),
    label: parameter.name,
    isOptional: parameter.required !== true,
    hint: schema.type === 'object' ? referenceTexts.value.pairsHint : undefined,
  };
  if (schema.enum === undefined) return <TextField {...field} />;
  const options = schema.enum.map((value): [string, string] => [String(value), String(value)]);
  return <SelectField {...field} options={[['', '—'], ...options]} />;
};

/** The key of a client operation: that of a chosen number of the session, or a pasted one. */
const KeyFields = ({ trial: { form, numbers } }: { trial: OperationTrial }) => {
  const t = referenceTexts.value;
  if (numbers === undefined) return null;
  const isPasted = form.values[numberField] === pasted;
  return (
    <>
      {numbers.length > 0 && (
        <SelectField
          form={form}
          name={numberField}
          label={t.number}
          hint={isPasted ? undefined : t.numberHint}
          options={[...numbers.map(({ id, number }): [string, string] => [id, number]), [pasted, t.pasteKey]]}
        />
      )}
      {isPasted && <TextField form={form} name={keyField} type="password" label={t.key} hint={t.keyHint} />}
    </>
  );
};

type TrialProps = { operation: Operation; trial: OperationTrial; schemas: Schemas };

const TrialForm = ({
  operation,
  trial,
  schemas,
  isBrief = false,
}: TrialProps & {
  /** Whether the parameters of the operation are left out. */
  isBrief?: boolean;
}) => {
  const t = referenceTexts.value;
  const { form } = trial;
  const media = mediaOf(operation);
  // A request that is sent before the numbers are known would have no key.
  const isOff = operation.auth === 'numberKey' && trial.numbers === undefined;
  return (
    <FormBody form={form} submit={t.send} saved={null} isForAll isOff={isOff}>
      {operation.auth === 'numberKey' && <KeyFields trial={trial} />}
      {operation.parameters.length > 0 && !isBrief && (
        <div class="columns">
          {operation.parameters.map((parameter) => (
            <ParameterField key={fieldOf(parameter)} parameter={parameter} trial={trial} schemas={schemas} />
          ))}
        </div>
      )}
      {operation.body !== null && (
        <AreaField
          form={form}
          name={bodyField}
          label={t.bodyField}
          rows={6}
          isOptional={!operation.body.isRequired}
        />
      )}
      {media.length > 1 && (
        <SelectField
          form={form}
          name={acceptField}
          label={t.accept}
          isOptional
          options={[['', '—'], ...media.map((one): [string, string] => [one, one])]}
        />
      )}
    </FormBody>
  );
};

const indented = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Content other than JSON is shown unchanged.
    return text;
  }
};

const toneOf = (status: number): Tone => (status < 400 ? 'fine' : status < 500 ? 'warn' : 'bad');

const AnswerBody = ({ answer: { body, isOpen }, name }: { answer: TrialAnswer; name: string }) => {
  const t = referenceTexts.value;
  if (body.is === 'file')
    return (
      <p class="buttons">
        {t.asFile(body.file.size, body.file.type)}
        <button type="button" onClick={() => saveFile(body.file, name)}>
          {t.saveFile}
        </button>
      </p>
    );
  if (body.text === '') return isOpen ? null : <p class="hint">{t.empty}</p>;
  return (
    <>
      <pre tabIndex={0}>{indented(body.text)}</pre>
      {body.isCut && <p class="hint">{t.cutShort}</p>}
    </>
  );
};

const ShownAnswer = ({
  operation,
  trial: { answer, stop },
}: {
  operation: Operation;
  trial: OperationTrial;
}) => {
  const t = referenceTexts.value;
  if (answer === undefined) return null;
  return (
    <div class="received">
      <h3>{t.answer}</h3>
      <p class="buttons" role="status">
        <Pill tone={toneOf(answer.status)}>{t.answered(answer.status, answer.ms)}</Pill>
        {answer.requestId !== null && (
          <small>
            {t.requestId} <code>{answer.requestId}</code>
          </small>
        )}
        {answer.isOpen && t.receiving}
      </p>
      {answer.ignored !== null && (
        <p class="notice" role="status">
          {t.ignored} <code>{answer.ignored}</code>
        </p>
      )}
      {answer.isOpen && (
        <button type="button" onClick={stop}>
          {t.stop}
        </button>
      )}
      <AnswerBody answer={answer} name={operation.id} />
    </div>
  );
};

/** Trial of an operation. A trial requires a key or a console session, while the rest of the page is public. */
export const Trial = (props: TrialProps) => {
  const t = referenceTexts.value;
  const { auth, isForAdmins } = props.operation;
  if (auth === 'adminToken' && admin.value === null)
    return (
      <Card title={t.tryIt}>
        <p class="hint">{t.signIn}</p>
        <p>
          <a class="button" href="/" target="_blank">
            {t.openConsole}
          </a>
        </p>
      </Card>
    );
  if (isForAdmins && !mayChange.value)
    return (
      <Card title={t.tryIt}>
        <p class="notice">{t.adminsOnly}</p>
      </Card>
    );
  return (
    <Card title={t.tryIt} lead={t.tryLead}>
      <TrialForm {...props} />
      <ShownAnswer {...props} />
    </Card>
  );
};

/** Trial of a client operation without its parameters. */
export const BriefTrial = (props: TrialProps) => (
  <>
    <TrialForm {...props} isBrief />
    <ShownAnswer {...props} />
  </>
);
