/** Audio of the current call: whether the user wants it, the device, and the device's problem. */
import { signal } from '@preact/signals';
import { openSoundDevice, type MicrophoneProblem, type SoundDevice } from './sound-device.ts';
import { isMuted } from './voice.ts';

const place = 'trunkline.phone_by_typing';

/** Whether the user wants to speak and listen, if the gateway supports it. The choice is stored on this device. */
export const wantsSound = signal(localStorage.getItem(place) !== '1');
wantsSound.subscribe((wanted) => localStorage.setItem(place, wanted ? '0' : '1'));

export type CallSound = { is: 'off' } | { is: 'opening' } | { is: 'on'; device: SoundDevice; hears: boolean };

export const callSound = signal<CallSound>({ is: 'off' });
export const microphoneProblem = signal<MicrophoneProblem | null>(null);

export const closeSound = (): void => {
  if (callSound.value.is === 'on') callSound.value.device.close();
  callSound.value = { is: 'off' };
};

/** Opens the audio. Resolves to whether it is available now. */
export const openSound = async (on: Parameters<typeof openSoundDevice>[0]): Promise<boolean> => {
  closeSound();
  const opening: CallSound = { is: 'opening' };
  callSound.value = opening;
  const opened = await openSoundDevice(on);
  if (callSound.value !== opening) {
    // The user may have turned audio off while the device was being opened.
    if (typeof opened !== 'string') opened.close();
    return false;
  }
  microphoneProblem.value = typeof opened === 'string' ? opened : null;
  callSound.value = typeof opened === 'string' ? { is: 'off' } : { is: 'on', device: opened, hears: true };
  if (typeof opened !== 'string') opened.setSpeaker(!isMuted.value);
  return typeof opened !== 'string';
};

export const toggleMicrophone = (): void => {
  const { value } = callSound;
  if (value.is !== 'on') return;
  value.device.setMicrophone(!value.hears);
  callSound.value = { ...value, hears: !value.hears };
};

isMuted.subscribe((muted) => {
  if (callSound.value.is === 'on') callSound.value.device.setSpeaker(!muted);
});
