import type Mrf from 'drachtio-fsmrf';
import type Srf from 'drachtio-srf';
import type { BackgroundTasks } from '../background-tasks.ts';

/**
 * What drachtio-fsmrf signals with. It hangs up an endpoint to which FreeSWITCH does not come, and looks no further: when
 * drachtio-server has gone as well, that rejection would end the process.
 */
export const createMediaDialogs = (srf: Srf, backgroundTasks: BackgroundTasks): Mrf.Signalling => ({
  async createUAC(uri: string, options: Srf.CreateUACOptions): Promise<Srf.Dialog> {
    const dialog = await srf.createUAC(uri, options);
    const destroy = dialog.destroy.bind(dialog);
    return Object.assign(dialog, {
      destroy(...args: Parameters<Srf.Dialog['destroy']>) {
        // Without a callback it is a promise, which the types of drachtio-srf do not know.
        const destroying: unknown = destroy(...args);
        if (destroying instanceof Promise) backgroundTasks.add('BYE to a media server', () => destroying);
        return destroying;
      },
    });
  },
});
