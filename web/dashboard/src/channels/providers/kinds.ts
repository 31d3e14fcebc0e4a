// The channel kinds of messaging providers: preparation steps, fields and webhook. Each kind is one
// description from which the screens are rendered. `shown_providers.ts` lists the visible kinds.
import type { useTranslations } from 'use-intl'

/** Key of a text of the provider screens. */
export type ProviderText = Parameters<ReturnType<typeof useTranslations<'services'>>>[0]

/** Name of a kind in API paths and lists. */
export type ProviderName = 'telegram' | 'wa' | 'line' | 'fb' | 'ig' | 'email'

export interface Step {
  text: ProviderText
  /** Page on which the step is done. */
  link?: string
}

export interface Field {
  /** Name of the field in the API. */
  name: string
  label: ProviderText
  /** Where to find the value, or its purpose. */
  help: ProviderText
  /** Whether the value is sent once and never shown again. */
  isSecret?: boolean
  /** Whether connecting requires the value. */
  isRequired?: boolean
  /** Whether the field is only in the connect form (`first`) or only in the settings (`later`); in
   * both by default. */
  when?: 'first' | 'later'
  /** Pattern of valid values. */
  pattern: RegExp
  /** Error message if the pattern does not match. */
  wrong: ProviderText
  example?: string
}

/** A switch of a channel. */
export interface Option {
  name: string
  label: ProviderText
  /** Default state of the switch. */
  isOn?: boolean
}

/** The webhook that an admin must set at the provider before messages arrive. */
export interface Hook {
  /** Where to enter the URL. */
  text: ProviderText
  link?: string
  /** Name of a field; if it has a value, the server registers the webhook itself. */
  unless?: string
}

export interface ProviderKind {
  word: ProviderName
  /** The provider's own name. */
  name: string
  about: ProviderText
  steps: Step[]
  fields: Field[]
  options: Option[]
  /** Whether the provider must reach this server to deliver messages. */
  needsPublicUrl: boolean
  hook: Hook | null
  /** Field of the record with the account's name. */
  account: string
  /** How to try out the channel. */
  tryIt: ProviderText
}

const DIGITS = /^\d{1,32}$/
/** Printable ASCII characters without spaces. */
const GRAPHIC = /^[!-~]{1,1024}$/
const META = 'https://developers.facebook.com/apps'

const secret = (name: string, label: ProviderText, help: ProviderText): Field => ({
  name,
  label,
  help,
  isSecret: true,
  isRequired: true,
  pattern: GRAPHIC,
  wrong: 'wrong.blanks',
})

const plain = (name: string, label: ProviderText, help: ProviderText): Field => ({
  ...secret(name, label, help),
  isSecret: false,
})

/** The secret that signs the events of a Meta app. Events without it are not accepted. */
const appSecret = secret('app_secret', 'field.appSecret', 'help.appSecret')
/** Created by the server. An admin who lost it can set another one. */
const verifyToken: Field = {
  ...secret('verify_token', 'field.verifyToken', 'help.verifyToken'),
  isRequired: false,
  when: 'later',
}

/** Whether agents may reply for seven days, with a tag that Meta must have approved. */
const humanAgent: Option = { name: 'human_agent_enabled', label: 'option.humanAgent' }
const read: Option = { name: 'read_enabled', label: 'option.read' }

const metaId = (name: string, label: ProviderText, help: ProviderText): Field => ({
  ...plain(name, label, help),
  pattern: DIGITS,
  wrong: 'wrong.digits',
})

/** The encryption of a connection to a mail server, which also determines the port. */
const security = (name: string, label: ProviderText): Field => ({
  ...plain(name, label, 'help.security'),
  isRequired: false,
  pattern: /^(tls|starttls|none)$/,
  wrong: 'wrong.security',
  example: 'tls',
})

export const KINDS: Record<ProviderName, ProviderKind> = {
  telegram: {
    word: 'telegram',
    name: 'Telegram',
    about: 'telegram.about',
    steps: [
      { text: 'telegram.open', link: 'https://t.me/BotFather' },
      { text: 'telegram.make' },
      { text: 'telegram.copy' },
    ],
    fields: [
      {
        ...secret('bot_token', 'field.botToken', 'help.botToken'),
        pattern: /^\d+:[\w-]+$/,
        wrong: 'wrong.botToken',
        example: '123456789:AAE…',
      },
    ],
    options: [],
    needsPublicUrl: false,
    hook: null,
    account: 'username',
    tryIt: 'telegram.tryIt',
  },
  wa: {
    word: 'wa',
    name: 'WhatsApp',
    about: 'wa.about',
    steps: [
      { text: 'wa.app', link: META },
      { text: 'wa.ids' },
      { text: 'wa.token', link: 'https://business.facebook.com/settings/system-users' },
      { text: 'wa.secret' },
    ],
    fields: [
      {
        ...metaId('phone_number_id', 'field.phoneNumberId', 'help.phoneNumberId'),
        when: 'first',
        wrong: 'wrong.phoneNumberId',
        example: '106540352242922',
      },
      {
        ...metaId('business_id', 'field.businessId', 'help.businessId'),
        isRequired: false,
        example: '102290129340398',
      },
      {
        ...secret('access_token', 'field.accessToken', 'help.systemToken'),
        example: 'EAAG…',
      },
      appSecret,
      verifyToken,
    ],
    options: [read],
    needsPublicUrl: true,
    hook: { text: 'wa.hook', link: META, unless: 'business_id' },
    account: 'phone_number',
    tryIt: 'wa.tryIt',
  },
  line: {
    word: 'line',
    name: 'LINE',
    about: 'line.about',
    steps: [
      { text: 'line.open', link: 'https://developers.line.biz/console/' },
      { text: 'line.secret' },
      { text: 'line.token' },
    ],
    fields: [
      secret('access_token', 'field.accessToken', 'help.lineToken'),
      secret('secret_key', 'field.channelSecret', 'help.channelSecret'),
    ],
    options: [read],
    needsPublicUrl: true,
    hook: { text: 'line.hook', link: 'https://developers.line.biz/console/' },
    account: 'username',
    tryIt: 'line.tryIt',
  },
  fb: {
    word: 'fb',
    name: 'Messenger',
    about: 'fb.about',
    steps: [
      { text: 'fb.app', link: META },
      { text: 'fb.page' },
      { text: 'fb.token' },
      { text: 'wa.secret' },
    ],
    fields: [
      {
        ...metaId('page_id', 'field.pageId', 'help.pageId'),
        when: 'first',
        example: '104839281920384',
      },
      {
        ...secret('access_token', 'field.accessToken', 'help.pageToken'),
        example: 'EAAG…',
      },
      appSecret,
      verifyToken,
    ],
    options: [read, humanAgent],
    needsPublicUrl: true,
    hook: { text: 'fb.hook', link: META },
    account: 'profile_name',
    tryIt: 'fb.tryIt',
  },
  ig: {
    word: 'ig',
    name: 'Instagram',
    about: 'ig.about',
    steps: [
      { text: 'ig.allow' },
      { text: 'ig.app', link: META },
      { text: 'ig.token' },
      { text: 'ig.secret' },
    ],
    fields: [
      {
        ...secret('access_token', 'field.accessToken', 'help.igToken'),
        example: 'IGAA…',
      },
      secret('app_secret', 'field.igSecret', 'help.igSecret'),
      verifyToken,
    ],
    options: [
      read,
      humanAgent,
      { name: 'story_mention_enabled', label: 'option.stories', isOn: true },
    ],
    needsPublicUrl: true,
    hook: { text: 'ig.hook', link: META },
    account: 'username',
    tryIt: 'ig.tryIt',
  },
  email: {
    word: 'email',
    name: 'Email',
    about: 'email.about',
    steps: [{ text: 'email.mailbox' }, { text: 'email.password' }, { text: 'email.hosts' }],
    fields: [
      {
        ...plain('address', 'field.address', 'help.address'),
        pattern: /^[^\s@]+@[^\s@]+$/,
        wrong: 'wrong.address',
        example: 'help@example.com',
        when: 'first',
      },
      {
        ...secret('password', 'field.password', 'help.password'),
        // Providers show app passwords in groups with spaces. Not required if mail is delivered to
        // this server directly.
        pattern: /^.{1,1024}$/,
        isRequired: false,
      },
      {
        ...plain('imap_host', 'field.imapHost', 'help.imapHost'),
        isRequired: false,
        example: 'imap.example.com',
      },
      security('imap_security', 'field.imapSecurity'),
      {
        ...plain('smtp_host', 'field.smtpHost', 'help.smtpHost'),
        example: 'smtp.example.com',
      },
      security('smtp_security', 'field.smtpSecurity'),
    ],
    options: [],
    needsPublicUrl: false,
    hook: null,
    account: 'address',
    tryIt: 'email.tryIt',
  },
}

/** Returns the fields of the connect form. */
export const firstFields = ({ fields }: ProviderKind): Field[] =>
  fields.filter(({ when }) => when !== 'later')

/** Returns the fields that can be changed later. */
export const laterFields = ({ fields }: ProviderKind): Field[] =>
  fields.filter(({ when }) => when !== 'first')
