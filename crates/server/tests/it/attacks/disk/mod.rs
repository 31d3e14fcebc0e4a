//! Stolen, damaged and full disks.

mod at_rest;
mod bit_rot;
mod file_modes;
mod full_disk;
