import { useState } from 'preact/hooks';
import { listNumbers, putAgent, tryAgent, type AgentRequest, type TrialRequest } from '../api.ts';
import type { AgentTrial, Direction, PhoneNumber } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { numberWords } from '../language/number-words.ts';
import {
  agentFields,
  agentTypeOf,
  controlModeOf,
  ControlsField,
  typeOptions,
} from '../number/agent-form.tsx';
import { BuiltInFields, builtInIn, builtInValues } from '../number/built-in-fields.tsx';
import { newHeader, NewHeaderFields, newHeaderIn } from '../number/header-fields.tsx';
import { Action } from '../parts/action.tsx';
import { AreaField, FormBody, SelectField, TextField, UrlField } from '../parts/field.tsx';
import { useForm, wrongField, type Form } from '../parts/form.ts';
import { Loading, Page } from '../parts/page.tsx';
import { TrialReport } from '../parts/trial-report.tsx';
import { usePolled } from '../polled.ts';
import { route } from '../shown-page.ts';

export const TryAgentPage = () => {
  const numbers = usePolled('numbers', listNumbers).value;
  if (numbers === undefined) return <Loading />;
  return (
    <Page title={texts.value.shell.nav.agents} lead={texts.value.trial.lead}>
      <TryAgentForm numbers={numbers} />
    </Page>
  );
};

/** Returns the binding of a number in one direction; undefined for an invented number. */
const bindingOf = (numbers: PhoneNumber[], id: string, direction: string) =>
  numbers.find((number) => number.id === id)?.agents[direction === 'inbound' ? 'inbound' : 'outbound'];

/** Returns the initial values: those of a number's binding if the page's address names a number. */
const initialValues = (numbers: PhoneNumber[]) => {
  const { query } = route.value;
  const direction: Direction = query.get('direction') === 'inbound' ? 'inbound' : 'outbound';
  const number = numbers.find(({ id }) => id === query.get('number_id'));
  const binding = bindingOf(numbers, number?.id ?? '', direction);
  return {
    agent_type: (binding?.agent === 'builtin' ? binding.agent : (binding?.agent_type ?? '')) as string,
    ...agentFields.of(binding),
    ...builtInValues(binding),
    controls: (binding?.controls ?? 'off') as string,
    token: '',
    ...newHeader,
    number_id: number?.id ?? '',
    direction: direction as string,
    instruction: '',
    say: '',
  };
};

type Values = ReturnType<typeof initialValues>;

const directionOf = ({ direction }: Values): Direction => (direction === 'inbound' ? 'inbound' : 'outbound');

const triedTypeOf = (name: string) => (name === 'builtin' ? name : agentTypeOf(name));

/** Returns the request. Throws if a required field is empty. */
const requestOf = (values: Values): TrialRequest => {
  const type = triedTypeOf(values.agent_type);
  if (type === null) throw wrongField('agent_type', 'This is required.');
  const direction = directionOf(values);
  return {
    agent_type: type,
    ...agentFields.in(values),
    controls: controlModeOf(values.controls),
    ...(type === 'builtin' ? { chat_url: null, ...builtInIn(values) } : {}),
    ...(values.token === '' ? {} : { token: values.token }),
    headers: newHeaderIn(values) ?? {},
    number_id: values.number_id || null,
    direction,
    instruction: direction === 'outbound' ? values.instruction.trim() || null : null,
    say: values.say
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  };
};

/** Returns the binding of a number to the agent of a trial. */
const bindingIn = (values: Values): AgentRequest => {
  const type = agentTypeOf(values.agent_type);
  return {
    agent: type === null ? 'builtin' : 'endpoint',
    agent_type: type,
    ...agentFields.in(values),
    controls: controlModeOf(values.controls),
    ...builtInIn(values),
    ...(directionOf(values) === 'outbound' && values.token !== '' ? { token: values.token } : {}),
    headers: newHeaderIn(values) ?? {},
  };
};

/** Connects the agent of a successful trial to the chosen number; without a chosen number, to the first one. */
const ConnectTried = ({ tried, numbers }: { tried: Values; numbers: PhoneNumber[] }) => {
  const t = numberWords.value.trial;
  const number = numbers.find(({ id }) => id === tried.number_id) ?? numbers[0];
  if (number === undefined) return null;
  const direction = directionOf(tried);
  return (
    <div class="buttons">
      <Action
        label={t.connect(number.number, texts.value.calls.direction[direction])}
        done={t.isConnected}
        act={async () => {
          await putAgent(number.id, direction, bindingIn(tried));
        }}
      />
    </div>
  );
};

/** The form, in which another number or direction fills in the settings of that built-in agent. */
const withBuiltIn = (form: Form<Values>, numbers: PhoneNumber[]): Form<Values> => ({
  ...form,
  set(name, value) {
    form.set(name, value);
    const { number_id: id, direction } = form.values;
    const binding = bindingOf(
      numbers,
      name === 'number_id' ? String(value) : id,
      name === 'direction' ? String(value) : direction,
    );
    if (binding?.agent !== 'builtin') return;
    for (const [field, stored] of Object.entries(builtInValues(binding))) form.set(field, stored);
  },
});

type FieldsProps = { form: Form<Values>; numbers: PhoneNumber[] };

/** Fields for the type of the agent and its server. */
const AgentFields = ({ form, numbers }: FieldsProps) => {
  const t = texts.value.trial;
  const { agent } = texts.value.numbers;
  const { direction, agent_type: name } = form.values;
  const type = agentTypeOf(name);
  const isEndpoint = name !== 'builtin';
  const choosing = withBuiltIn(form, numbers);
  return (
    <div class="columns">
      <SelectField
        form={form}
        name="agent_type"
        label={agent.type}
        options={[...typeOptions(), ['builtin', agent.builtin]]}
      />
      {isEndpoint && (
        <UrlField
          form={form}
          name="chat_url"
          label={agent.url}
          hint={type === null ? undefined : agent.urlHint[type]}
        />
      )}
      <SelectField
        form={choosing}
        name="direction"
        label={t.direction}
        options={Object.entries(texts.value.calls.direction)}
      />
      <SelectField
        form={choosing}
        name="number_id"
        label={t.number}
        options={[['', t.noNumber], ...numbers.map(({ id, number }): [string, string] => [id, number])]}
      />
      {type === 'langgraph' && <TextField form={form} name="assistant_id" label={agent.assistantId} />}
      {type === 'mastra' && direction === 'outbound' && (
        <TextField form={form} name="agent_id" label={agent.agentId} />
      )}
      <ControlsField form={form} />
      {isEndpoint && (
        <TextField
          form={form}
          name="token"
          type="password"
          autoComplete="new-password"
          label={t.token}
          hint={t.tokenHint}
          isOptional
        />
      )}
      {isEndpoint && <NewHeaderFields form={form} hint={t.headerHint} />}
    </div>
  );
};

/** Fields for the agent's instruction and the other party's words. */
const TalkFields = ({ form }: Pick<FieldsProps, 'form'>) => {
  const t = texts.value.trial;
  const isOutbound = form.values.direction === 'outbound';
  return (
    <>
      {isOutbound && <AreaField form={form} name="instruction" rows={2} label={t.instruction} isOptional />}
      <AreaField form={form} name="say" rows={3} label={t.say} hint={t.sayHint} isOptional={isOutbound} />
    </>
  );
};

const TryAgentForm = ({ numbers }: { numbers: PhoneNumber[] }) => {
  const t = texts.value.trial;
  const [done, setDone] = useState<{ trial: AgentTrial; tried: Values }>();
  const form = useForm(
    initialValues(numbers),
    async (values) => {
      setDone(undefined);
      setDone({ trial: await tryAgent(requestOf(values)), tried: values });
    },
    { isStored: false },
  );
  return (
    <div class="trial">
      <section class="card">
        <FormBody form={form} submit={t.submit} saved={null}>
          <AgentFields form={form} numbers={numbers} />
          {form.values.agent_type === 'builtin' && <BuiltInFields form={form} isTrial />}
          <TalkFields form={form} />
        </FormBody>
      </section>
      <div aria-live="polite">
        {form.isBusy && <p class="loading">{t.running}</p>}
        {!form.isBusy && done === undefined && <p class="hint">{numberWords.value.trial.empty}</p>}
        {done !== undefined && <TrialReport trial={done.trial} />}
        {done?.trial.ok === true && <ConnectTried tried={done.tried} numbers={numbers} />}
      </div>
    </div>
  );
};
