//! Keys as bytes: in order, each as what lies between it and the one before, in numbers of seven bits a byte (LEB128).

use tertium_explore::rows::{UnreadableRow, put, take};

/// Writes keys, each once, behind what is there. They are put in order.
pub(crate) fn write_keys(keys: &mut Vec<u64>, bytes: &mut Vec<u8>) {
    keys.sort_unstable();
    keys.dedup();
    bytes.reserve(keys.len() * 5);
    let mut next = 0;
    for &key in keys.iter() {
        put(bytes, key - next);
        // After the largest key none comes.
        next = key.wrapping_add(1);
    }
}

/// Reads keys, of which there must be no bit but these.
pub(crate) fn read_keys(mut bytes: &[u8], bits: u64, keys: &mut Vec<u64>) -> Result<(), UnreadableRow> {
    keys.clear();
    let mut next = Some(0_u64);
    while !bytes.is_empty() {
        let gap = take(&mut bytes)?;
        let key = next.and_then(|next| next.checked_add(gap)).filter(|key| key & !bits == 0);
        let Some(key) = key else { return Err(UnreadableRow("a key has too many bits")) };
        keys.push(key);
        next = key.checked_add(1);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tertium_testkit::Rng;

    #[test]
    fn keys_come_back_in_order() {
        let mut random = Rng::new(3);
        for round in 0..300 {
            let bits = u64::MAX >> (round % 64);
            let word = |random: &mut Rng| (random.below(1 << 31) as u64) << 33 | random.below(1 << 31) as u64;
            let mut keys: Vec<u64> = (0..random.below(50)).map(|_| word(&mut random) & bits).collect();
            keys.extend([0, bits, bits]);
            let (mut bytes, mut read) = (Vec::new(), Vec::new());
            write_keys(&mut keys, &mut bytes);
            read_keys(&bytes, bits, &mut read).expect("written as it is read");
            assert_eq!(read, keys);
            assert!(keys.windows(2).all(|pair| pair[0] < pair[1]));
            assert!(read_keys(&bytes, bits >> 1, &mut read).is_err(), "no key has other bits");
        }
    }

    #[test]
    fn nonsense_is_refused_or_read_but_never_a_panic() {
        let (mut random, mut keys) = (Rng::new(4), Vec::new());
        for _ in 0..5000 {
            let bytes: Vec<u8> = (0..random.below(24)).map(|_| *random.pick(&[0, 1, 2, 0x80, 0xFF])).collect();
            // Either is fine.
            let _ = read_keys(&bytes, u64::MAX, &mut keys);
        }
        let most = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01];
        assert!(read_keys(&most, u64::MAX, &mut keys).is_ok());
        assert!(read_keys(&[&most[..], &[0]].concat(), u64::MAX, &mut keys).is_err());
    }
}
