import { languages } from '#src/domain/language.ts';
import { texts } from '../language/language.ts';
import { callSound, wantsSound } from './call-sound.ts';
import { phone } from './phone-connection.ts';
import { understandsLanguage } from './phone-state.ts';

/** Choice between voice and typing, shown if the gateway recognizes speech. `language` is that of the call (BCP 47). */
export const SoundChoice = ({ language }: { language: string }) => {
  const t = texts.value.phone;
  if (!phone.value.offersSound) return null;
  return (
    <div class="sound-choice">
      <label class="check">
        <input
          type="checkbox"
          checked={wantsSound.value}
          onChange={(event) => (wantsSound.value = event.currentTarget.checked)}
        />
        {t.byVoice}
      </label>
      <p class="hint" role="status">
        {callSound.value.is === 'opening' && t.microphoneAsked}
      </p>
      {wantsSound.value && <NotUnderstood language={language} />}
    </div>
  );
};

/** Warns that speech in this language is not recognized. */
export const NotUnderstood = ({ language }: { language: string }) => {
  if (understandsLanguage(phone.value, language)) return null;
  const named = languages.find((one) => one === language);
  const name = named === undefined ? language : texts.value.numbers.languages[named];
  return (
    <p class="notice" role="status">
      {texts.value.phone.notUnderstood(name)}
    </p>
  );
};
