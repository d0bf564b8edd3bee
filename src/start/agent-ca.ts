import { readFile } from 'node:fs/promises';
import { StartError } from '#src/domain/start-error.ts';

/**
 * Reads the file of certificate authorities (PEM) that are trusted for agent servers. Returns `undefined` if no file is
 * configured.
 */
export const readAgentCa = async (file: string | null): Promise<string | undefined> => {
  if (file === null) return undefined;
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw new StartError(`GW_AGENT_CA_FILE cannot be read: ${file}`, { cause });
  }
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw new StartError(`GW_AGENT_CA_FILE holds no certificate in PEM form: ${file}`);
  }
  return text;
};
