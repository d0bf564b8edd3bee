import { texts } from '../language/language.ts';
import { callSound, wantsSound } from './call-sound.ts';
import { phone } from './phone-connection.ts';

/** By voice, or by typing alone; where the gateway understands voices. */
export const SoundChoice = () => {
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
    </div>
  );
};
