// A temporary PostgreSQL server, like that of the Rust tests.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { freePort } from './server'

/** Whether the tests run on PostgreSQL as well. The Rust tests use the same variable. */
export const isOnPostgres = process.env.CONFAB_TEST_ENGINE === 'postgres'

export class Postgres {
  private constructor(
    private readonly process: ChildProcess,
    private readonly folder: string,
    readonly url: string,
  ) {}

  static async start(): Promise<Postgres> {
    const folder = mkdtempSync(join(tmpdir(), 'confab-e2e-postgres-'))
    const owner = ownerOf(folder)
    const data = join(folder, 'data')
    const bin = programs()
    const made = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync']
    execFileSync(join(bin, 'initdb'), made, { ...owner, stdio: 'ignore', cwd: folder })
    const port = await freePort()
    const settings = ['-p', String(port), '-k', folder, '-c', 'fsync=off']
    const child = spawn(join(bin, 'postgres'), ['-D', data, ...settings], {
      ...owner,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await new Promise<void>((resolve, reject) => {
      let log = ''
      child.stderr?.on('data', (part) => {
        log += part
        if (log.includes('ready to accept connections')) resolve()
      })
      child.once('exit', (code) => reject(new Error(`postgres ended with ${code}: ${log}`)))
    })
    return new Postgres(child, folder, `postgres://postgres@127.0.0.1:${port}/postgres`)
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.process.once('exit', resolve))
    this.process.kill('SIGINT')
    await gone
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Returns the folder of the PostgreSQL programs: on the PATH, or Debian's. */
function programs(): string {
  const folders = (process.env.PATH ?? '').split(':')
  const debian = '/usr/lib/postgresql'
  if (existsSync(debian)) {
    folders.push(...readdirSync(debian).map((version) => join(debian, version, 'bin')))
  }
  const found = folders.find((folder) => existsSync(join(folder, 'initdb')))
  if (found === undefined) throw new Error('no initdb: scripts/install-test-tools brings it')
  return dirname(realpathSync(join(found, 'initdb')))
}

/** Returns the user that runs PostgreSQL: it refuses to run as root. */
function ownerOf(folder: string): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const id = (which: string) =>
    Number(execFileSync('id', [which, 'postgres'], { encoding: 'utf8' }))
  const [uid, gid] = [id('-u'), id('-g')]
  chownSync(folder, uid, gid)
  return { uid, gid }
}
