/**
 * Form for the agent of one direction, with the fields that each agent type stores (guides/design/agents.md,
 * "Bindings").
 */
import { useState } from 'preact/hooks';
import { agentTypes, controlModes, type AgentType, type ControlMode } from '#src/domain/agent-binding.ts';
import { putAgent, type AgentRequest } from '../api.ts';
import type { AgentBinding, Direction } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { CheckField, ChoiceField, FormBody, SelectField, TextField, UrlField } from '../parts/field.tsx';
import { textFields, useForm, wrongField, type Form, type FormValues } from '../parts/form.ts';
import { Card } from '../parts/page.tsx';
import { linkTo } from '../shown-page.ts';
import { BuiltInFields, builtInIn, builtInValues } from './built-in-fields.tsx';
import { HeaderFields, headersIn, headerValues } from './header-fields.tsx';

export const agentTypeOf = (name: string): AgentType | null =>
  agentTypes.find((type) => type === name) ?? null;

export const typeOptions = (): [string, string][] => {
  const t = texts.value.numbers.agent;
  return [['', t.chooseType], ...agentTypes.map((type): [string, string] => [type, t.types[type]])];
};

export const controlModeOf = (name: string): ControlMode =>
  controlModes.find((mode) => mode === name) ?? 'off';

/** Field for whether the gateway executes controls in the agent's replies. */
export const ControlsField = <Values extends FormValues>({ form }: { form: Form<Values> }) => {
  const t = texts.value.numbers.agent;
  return (
    <SelectField
      form={form}
      name="controls"
      label={t.controls}
      hint={t.controlsHint}
      options={controlModes.map((mode): [string, string] => [mode, t.controlModes[mode]])}
    />
  );
};

/** Fields for the server's URL and for the ids of an agent type. */
export const agentFields = textFields('chat_url', 'assistant_id', 'agent_id');

const valuesOf = (binding: AgentBinding) => ({
  agent: binding.agent as string,
  agent_type: binding.agent_type ?? '',
  ...agentFields.of(binding),
  controls: binding.controls as string,
  ...builtInValues(binding),
  token: '',
  remove_token: false,
  ...headerValues(binding.headers),
});

type Values = ReturnType<typeof valuesOf>;

/** Returns the token of the request. An absent token keeps the stored one. */
const tokenIn = ({ token, remove_token: isRemoved }: Values): Pick<AgentRequest, 'token'> => {
  if (token !== '') return { token };
  return isRemoved ? { token: null } : {};
};

/** Throws if type or URL of a server is missing, without which the number can take no calls. */
const requireServer = ({ agent, agent_type: type, chat_url: url }: Values): void => {
  if (agent !== 'endpoint') return;
  if (type === '') throw wrongField('agent_type', 'This is required.');
  if (url.trim() === '') throw wrongField('chat_url', 'This is required.');
};

const requestOf = (values: Values, direction: Direction, stored: AgentBinding): AgentRequest => ({
  agent: values.agent === 'endpoint' ? 'endpoint' : 'builtin',
  agent_type: agentTypeOf(values.agent_type),
  ...agentFields.in(values),
  controls: controlModeOf(values.controls),
  ...builtInIn(values),
  ...(direction === 'outbound' ? tokenIn(values) : {}),
  headers: headersIn(values, stored.headers),
});

type FieldsProps = { form: Form<Values>; direction: Direction; stored: AgentBinding };

/** Fields for the type of the server, its URL, and the settings of that type. */
const EndpointFields = ({ form, direction, stored }: FieldsProps) => {
  const t = texts.value.numbers.agent;
  const type = agentTypeOf(form.values.agent_type);
  return (
    <>
      <SelectField form={form} name="agent_type" label={t.type} options={typeOptions()} />
      <UrlField
        form={form}
        name="chat_url"
        label={t.url}
        hint={type === null ? undefined : t.urlHint[type]}
      />
      {type === 'langgraph' && (
        <TextField form={form} name="assistant_id" label={t.assistantId} hint={t.assistantIdHint} />
      )}
      {type === 'mastra' && (
        <TextField
          form={form}
          name="agent_id"
          label={t.agentId}
          hint={direction === 'outbound' ? t.agentIdHint : t.agentIdInbound}
        />
      )}
      <ControlsField form={form} />
      {direction === 'outbound' && <TokenFields form={form} isStored={stored.token_configured} />}
      <HeaderFields form={form} stored={stored.headers} hint={texts.value.numbers.agent.headerHint} />
    </>
  );
};

const TokenFields = ({ form, isStored }: { form: Form<Values>; isStored: boolean }) => {
  const t = texts.value.numbers.agent;
  return (
    <>
      <TextField
        form={form}
        name="token"
        type="password"
        autoComplete="new-password"
        label={t.token}
        isOptional
        hint={`${isStored ? t.tokenStored : t.tokenNone} ${t.tokenHint}`}
      />
      {isStored && form.values.token === '' && (
        <CheckField form={form} name="remove_token" label={t.tokenRemove} />
      )}
    </>
  );
};

const AgentFields = (props: FieldsProps) => {
  const t = texts.value.numbers.agent;
  const { form, direction, stored } = props;
  const isIncomplete =
    stored.agent === 'endpoint' && (stored.agent_type === null || stored.chat_url === null);
  return (
    <>
      <ChoiceField
        form={form}
        name="agent"
        label={t.who}
        choices={[
          { value: 'builtin', label: t.builtin, hint: t.builtinHint },
          { value: 'endpoint', label: t.endpoint, hint: t.endpointHint },
        ]}
      />
      {form.values.agent === 'endpoint' ? <EndpointFields {...props} /> : <BuiltInFields form={form} />}
      {isIncomplete && <p class="notice">{t.incomplete[direction]}</p>}
    </>
  );
};

export const AgentForm = ({
  numberId,
  direction,
  stored: first,
}: {
  numberId: string;
  direction: Direction;
  stored: AgentBinding;
}) => {
  const t = texts.value.numbers.agent;
  const [stored, setStored] = useState(first);
  const form = useForm(valuesOf(stored), async (values) => {
    requireServer(values);
    const saved = await putAgent(numberId, direction, requestOf(values, direction, stored));
    setStored(saved);
    // The form shows the stored values: without fields that the agent type does not store, and without secrets.
    return valuesOf(saved);
  });
  const canBeTried = stored.agent === 'builtin' || stored.chat_url !== null;

  return (
    <Card title={t.title[direction]}>
      <FormBody
        form={form}
        submit={texts.value.shell.form.save}
        beside={
          canBeTried && (
            <a class="button" href={`${linkTo('agents')}?number_id=${numberId}&direction=${direction}`}>
              {t.tryIt}
            </a>
          )
        }
      >
        <AgentFields form={form} direction={direction} stored={stored} />
      </FormBody>
    </Card>
  );
};
