import { useState } from 'preact/hooks';
import { checkTrunk } from '../api.ts';
import type { TrunkCheckStep } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { FormBody, TextField } from '../parts/field.tsx';
import { ForAdmins } from '../parts/for-admins.tsx';
import { useForm } from '../parts/form.ts';
import { Card } from '../parts/page.tsx';
import { Pill, stepTones } from '../parts/pill.tsx';

/** Tests a trunk and shows the messages as a ladder. */
export const TrunkCheck = ({ trunkId }: { trunkId: string }) => {
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
