/**
 * The first steps of a new workspace, until all are done; without calls, also in place of their figures. A step is done
 * when its object exists.
 */
import { getCurrentGateway, listCalls, listNumbers, listTrunks, listWebhooks } from '../api.ts';
import type { PhoneNumber } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { Card, Loading } from '../parts/page.tsx';
import { usePolled } from '../polled.ts';
import { mayChange } from '../session.ts';
import { linkTo } from '../shown-page.ts';

type StepName = 'number' | 'trunk' | 'call' | 'agent' | 'webhook';
type Step = { name: StepName; link: string; isDone: boolean };

const hasOwnAgent = ({ agents: { inbound, outbound } }: PhoneNumber): boolean =>
  inbound.agent === 'endpoint' || outbound.agent === 'endpoint';

const readSteps = async (): Promise<Step[]> => {
  const [numbers, trunks, webhooks, gateway, { calls }] = await Promise.all([
    listNumbers(),
    listTrunks(),
    listWebhooks(),
    getCurrentGateway(),
    listCalls({ limit: 1 }),
  ]);
  const [first] = numbers;
  const agentOf = first === undefined ? linkTo('numbers') : linkTo('numbers', first.id, 'outbound');
  const trunk: Step = { name: 'trunk', link: linkTo('trunks', 'new'), isDone: trunks.length > 0 };
  return [
    { name: 'number', link: linkTo('numbers', 'new'), isDone: first !== undefined },
    // Calls on simulated lines need no trunk.
    ...(gateway.is_simulated ? [] : [trunk]),
    { name: 'call', link: linkTo('place-call'), isDone: calls.length > 0 },
    { name: 'agent', link: agentOf, isDone: numbers.some(hasOwnAgent) },
    { name: 'webhook', link: linkTo('webhooks', 'new'), isDone: webhooks.length > 0 },
  ];
};

const StepRow = ({ step: { name, link, isDone }, isNext }: { step: Step; isNext: boolean }) => {
  const t = texts.value.overview.steps;
  const [title, hint] = t.names[name];
  return (
    <li class={isDone ? 'done' : ''}>
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="10" cy="10" r="8.5" />
        {isDone && <path d="m6 10.3 2.7 2.7L14 7.5" />}
      </svg>
      <span class="row-main">
        <b>
          {title}
          {isDone && <span class="unseen"> ({t.done})</span>}
        </b>
        <small class="whole">{hint}</small>
      </span>
      {mayChange.value && !isDone && (
        <a class={isNext ? 'button primary' : 'button'} href={link}>
          {t.go[name]}
        </a>
      )}
    </li>
  );
};

const pollMs = 5_000;

export const FirstSteps = ({ hasCalls }: { hasCalls: boolean }) => {
  const t = texts.value.overview;
  const steps = usePolled('first-steps', readSteps, () => pollMs).value;
  if (steps === undefined) return hasCalls ? null : <Loading />;
  const next = steps.find(({ isDone }) => !isDone);
  if (hasCalls && next === undefined) return null;
  const done = t.steps.lead(steps.filter(({ isDone }) => isDone).length, steps.length);
  return (
    <Card title={hasCalls ? t.steps.title : t.empty} lead={hasCalls ? done : `${done} ${t.steps.figures}`}>
      <ol class="first-steps">
        {steps.map((step) => (
          <StepRow key={step.name} step={step} isNext={step === next} />
        ))}
      </ol>
    </Card>
  );
};
