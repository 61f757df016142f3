import { baseAddress } from "../settings.ts";

/**
 * A line for bash and zsh that asks for the key: typed or pasted there it gets neither into the shell's history nor into the list of
 * processes, as it would as a part of the line.
 */
export const curlLine = `printf 'API key: ' && read -rs KEY && printf 'X-API-Key: %s' "$KEY" | curl -H @- ${baseAddress}`;
