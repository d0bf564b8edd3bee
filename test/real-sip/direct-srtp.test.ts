import { encryptedSound } from './encrypted-sound.ts';

encryptedSound('direct');
