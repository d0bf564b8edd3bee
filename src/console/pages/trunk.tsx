import { deleteTrunk, getTrunk, updateTrunk, checkTrunk } from '../api.ts';
import type { Trunk, TrunkCheckStep } from '../api/records.ts';
import { explain } from '../language/explain.ts';
import { texts } from '../language/language.ts';
import { Action } from '../parts/action.tsx';
import { FormBody, TextField } from '../parts/field.tsx';
import { useForm } from '../parts/form.ts';
import { Card, Loading, Missing, Page } from '../parts/page.tsx';
import { Pill, trunkTones, stepTones } from '../parts/pill.tsx';
import { dayAndTime } from '../parts/when.tsx';
import { usePolled } from '../polled.ts';
import { go, linkTo } from '../shown-page.ts';
import { forgetUnsaved } from '../unsaved.ts';
import { neededFields, TrunkFields, trunkRequest, trunkValues } from '../trunk/trunk-fields.tsx';
import { useState } from 'preact/hooks';
import { ForAdmins } from '../parts/for-admins.tsx';

/** Tests a trunk and shows the messages as a ladder. */
const TrunkCheck = ({ trunkId }: { trunkId: string }) => {
  const t = texts.value.trunks;
  const [steps, setSteps] = useState<TrunkCheckStep[]>([]);
  const form = useForm(
    { to: '' },
    async ({ to }) => {
      setSteps([]);
      setSteps(await checkTrunk(trunkId, to.trim()));
    },
    { isStored: false },
  );
  return (
    <ForAdmins>
      <Card title={t.checkTitle} lead={t.checkLead}>
        <FormBody form={form} submit={t.check} saved={null}>
          <TextField form={form} name="to" mode="tel" label={t.checkTo} hint={t.checkToHint} isOptional />
        </FormBody>
        <div aria-live="polite">
          {form.isBusy && <p class="loading">{t.checking}</p>}
          {steps.map(({ step, result, sentence, ladder }, index) => (
            <section key={index} class="step">
              <h3>
                {t.step[step]} <Pill tone={stepTones[result]}>{t.result[result]}</Pill>
              </h3>
              <p>{sentence}</p>
              {ladder.length > 0 && (
                <ol class="ladder" aria-label={t.ladder}>
                  {ladder.map(({ at_ms: at, direction, message }) => (
                    <li key={`${at}${message}`} class={direction}>
                      <span class="digits">{Math.round(at)} ms</span>
                      <span aria-hidden="true">{direction === 'out' ? '→' : '←'}</span>
                      <code>{message}</code>
                    </li>
                  ))}
                </ol>
              )}
            </section>
          ))}
        </div>
      </Card>
    </ForAdmins>
  );
};

/** State of each address of a trunk. */
const AddressStates = ({ trunk: { address_states: states } }: { trunk: Trunk }) => {
  const t = texts.value.trunks;
  if (states.length === 0) return null;
  return (
    <Card title={t.fields.addresses}>
      <ul class="rows" aria-label={t.fields.addresses}>
        {states.map(({ address, state, detail, channels_in_use: channels }) => (
          <li key={address} class="row">
            <span class="row-main">
              <b>{address}</b>
              <small>{detail === null ? t.channels(channels) : explain(detail, texts.value.sayings)}</small>
            </span>
            <Pill tone={trunkTones[state]}>{t.state[state]}</Pill>
          </li>
        ))}
      </ul>
    </Card>
  );
};

const pollMs = 5_000;

export const TrunkPage = ({ id }: { id: string }) => {
  const t = texts.value.trunks;
  const back = { to: linkTo('trunks'), label: texts.value.shell.nav.trunks };
  const {
    value: trunk,
    problem,
    reload,
  } = usePolled(
    id,
    () => getTrunk(id),
    () => pollMs,
  );
  if (problem !== undefined) return <Missing back={back} />;
  if (trunk === undefined) return <Loading />;
  return (
    <Page
      title={trunk.name}
      back={back}
      lead={
        <>
          <Pill tone={trunkTones[trunk.state]}>{t.state[trunk.state]}</Pill>{' '}
          {trunk.state === 'unused'
            ? t.simulated
            : trunk.detail !== null && explain(trunk.detail, texts.value.sayings)}{' '}
          {trunk.last_seen_at !== null && t.lastSeen(dayAndTime(trunk.last_seen_at))}{' '}
          {trunk.channels_in_use > 0 && t.channels(trunk.channels_in_use)}
        </>
      }
      beside={
        <Action
          look="danger"
          label={t.remove}
          asked={{ title: t.removeTitle, text: t.removeText }}
          act={async () => {
            await deleteTrunk(id);
            forgetUnsaved();
            go(linkTo('trunks'));
          }}
        />
      }
    >
      <AddressStates trunk={trunk} />
      <TrunkCheck trunkId={id} />
      <TrunkForm trunk={trunk} onSaved={reload} />
    </Page>
  );
};

/**
 * Form of a trunk, filled with the values that were stored when the page was opened; later changes do not overwrite
 * input.
 */
const TrunkForm = ({ trunk, onSaved }: { trunk: Trunk; onSaved: () => void }) => {
  // Fields keep their places while they are edited.
  const [front] = useState(() => neededFields(trunk));
  const form = useForm(trunkValues(trunk), async (values) => {
    const saved = await updateTrunk(trunk.id, trunkRequest(values));
    onSaved();
    return trunkValues(saved);
  });
  return (
    <Card title={texts.value.trunks.edit}>
      <FormBody form={form} submit={texts.value.shell.form.save}>
        <TrunkFields form={form} hasPassword={trunk.password_configured} front={front} />
      </FormBody>
    </Card>
  );
};
