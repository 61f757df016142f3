import { baseAddress } from "../settings.ts";

/**
 * A command for bash and zsh that asks for the key. So the key is neither in the shell's history nor in the list of
 * processes, where it would be as a part of the command.
 */
export const curlLine = `printf 'API key: ' && read -rs KEY && printf 'X-API-Key: %s' "$KEY" | curl -H @- ${baseAddress}`;
